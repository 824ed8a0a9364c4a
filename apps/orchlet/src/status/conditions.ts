import type { core } from "@orchernetes/api";
import { formatTime } from "@orchernetes/apimachinery";

type Phase = NonNullable<core.PodStatus["phase"]>;
type Answer = Pick<core.PodCondition, "status" | "reason" | "message">;

const yes: Answer = { status: "True" };
const names = (list: readonly string[]): string => `[${list.join(" ")}]`;

function initialized(spec: core.PodSpec, init: readonly core.ContainerStatus[], phase: Phase): Answer {
  if ((spec.initContainers ?? []).length === 0) return yes;
  if (phase === "Succeeded") return { status: "True", reason: "PodCompleted" };
  const incomplete = init.filter(({ ready }) => !ready).map(({ name }) => name);
  if (incomplete.length === 0) return yes;
  return {
    status: "False",
    reason: "ContainersNotInitialized",
    message: `containers with incomplete status: ${names(incomplete)}`,
  };
}

function containersReady(regular: readonly core.ContainerStatus[], phase: Phase): Answer {
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

function ready(spec: core.PodSpec, containers: Answer, others: readonly core.PodCondition[]): Answer {
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

/** Conditions that the agent decides about; all others are left as they are. */
export const ownedConditions = ["Initialized", "Ready", "ContainersReady", "PodScheduled"] as const;

/**
 * The pod's conditions. Pure; the time of a transition is kept while the status of a condition stays.
 *
 * @param shown conditions the pod has so far, those of others among them
 */
export function conditionsOf(options: {
  readonly spec: core.PodSpec;
  readonly phase: Phase;
  readonly init: readonly core.ContainerStatus[];
  readonly regular: readonly core.ContainerStatus[];
  readonly shown: readonly core.PodCondition[];
  /** Why the node evicted the pod, if it did. */
  readonly disruption?: string;
  readonly now: Date;
}): readonly core.PodCondition[] {
  const { spec, phase, init, regular, shown, disruption, now } = options;
  const containers = containersReady(regular, phase);
  const answers: Readonly<Record<string, Answer>> = {
    Initialized: initialized(spec, init, phase),
    Ready: ready(spec, containers, shown),
    ContainersReady: containers,
    PodScheduled: yes,
    ...(disruption === undefined
      ? {}
      : { DisruptionTarget: { status: "True", reason: "TerminationByOrchlet", message: disruption } as const }),
  };
  const own = Object.entries(answers).map(([type, answer]): core.PodCondition => {
    const before = shown.find((condition) => condition.type === type);
    const since = before?.status === answer.status ? before.lastTransitionTime : undefined;
    return { type, ...answer, lastTransitionTime: since ?? formatTime(now) };
  });
  const others = shown.filter(({ type }) => !Object.hasOwn(answers, type));
  return [...own, ...others];
}
