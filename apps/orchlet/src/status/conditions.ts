import type { core } from "@orchernetes/api";
import { formatTime } from "@orchernetes/apimachinery";

type Phase = NonNullable<core.PodStatus["phase"]>;
/** A condition without its type and times. */
type ConditionState = Pick<core.PodCondition, "status" | "reason" | "message">;

const yes: ConditionState = { status: "True" };
const names = (list: readonly string[]): string => `[${list.join(" ")}]`;

function initialized(spec: core.PodSpec, init: readonly core.ContainerStatus[], phase: Phase): ConditionState {
  if (phase === "Succeeded") return { status: "True", reason: "PodCompleted" };
  if ((spec.initContainers ?? []).length === 0) return yes;
  const incomplete = init.filter(({ ready }) => !ready).map(({ name }) => name);
  if (incomplete.length === 0) return yes;
  return {
    status: "False",
    reason: "ContainersNotInitialized",
    message: `containers with incomplete status: ${names(incomplete)}`,
  };
}

function containersReady(regular: readonly core.ContainerStatus[], phase: Phase): ConditionState {
  if (phase === "Succeeded") return { status: "False", reason: "PodCompleted" };
  if (phase === "Failed") return { status: "False", reason: "PodFailed" };
  const unready = regular.filter(({ ready }) => !ready).map(({ name }) => name);
  if (unready.length === 0) return yes;
  return {
    status: "False",
    reason: "ContainersNotReady",
    message: `containers with unready status: ${names(unready)}`,
  };
}

/** The pod is ready if its containers are and all readiness gates are True (KEP-580). */
function ready(spec: core.PodSpec, containers: ConditionState, others: readonly core.PodCondition[]): ConditionState {
  if (containers.status !== "True") return containers;
  const errors = (spec.readinessGates ?? []).flatMap(({ conditionType }) => {
    const gate = others.find(({ type }) => type === conditionType);
    if (gate === undefined) return [`corresponding condition of pod readiness gate "${conditionType}" does not exist.`];
    if (gate.status === "True") return [];
    return [`the status of pod readiness gate "${conditionType}" is not "True", but ${gate.status}`];
  });
  if (errors.length === 0) return yes;
  return { status: "False", reason: "ReadinessGatesNotReady", message: errors.join(", ") };
}

/** The conditions that the agent sets. Conditions of other types are kept unchanged. */
export const ownedConditions = ["Initialized", "Ready", "ContainersReady", "PodScheduled"] as const;

/**
 * The conditions of a pod. Pure. `lastTransitionTime` changes only with the status of a condition.
 *
 * @param shown the current conditions of the pod, including those of other writers
 */
export function conditionsOf(options: {
  readonly spec: core.PodSpec;
  readonly phase: Phase;
  readonly init: readonly core.ContainerStatus[];
  readonly regular: readonly core.ContainerStatus[];
  readonly shown: readonly core.PodCondition[];
  /** Message of the eviction, if the node evicted the pod: it gets the condition DisruptionTarget (KEP-3329). */
  readonly disruption?: string;
  readonly now: Date;
}): readonly core.PodCondition[] {
  const { spec, phase, init, regular, shown, disruption, now } = options;
  const containers = containersReady(regular, phase);
  const states: Readonly<Record<string, ConditionState>> = {
    Initialized: initialized(spec, init, phase),
    Ready: ready(spec, containers, shown),
    ContainersReady: containers,
    PodScheduled: yes,
    ...(disruption === undefined
      ? {}
      : { DisruptionTarget: { status: "True", reason: "TerminationByOrchlet", message: disruption } as const }),
  };
  const own = Object.entries(states).map(([type, state]): core.PodCondition => {
    const before = shown.find((condition) => condition.type === type);
    const since = before?.status === state.status ? before.lastTransitionTime : undefined;
    return { type, ...state, lastTransitionTime: since ?? formatTime(now) };
  });
  const others = shown.filter(({ type }) => !Object.hasOwn(states, type));
  return [...own, ...others];
}
