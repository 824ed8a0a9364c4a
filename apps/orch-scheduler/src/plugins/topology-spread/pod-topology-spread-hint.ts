import type { core } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import { isTooLong, sumOfSteps } from "../../cache/matching-cost.ts";
import { podClassOf } from "../../cache/pod-class.ts";
import type { PodInfo } from "../../cache/pod-info.ts";
import type { QueueingHint } from "../../framework/cluster-change.ts";
import { ClusterEvent } from "../../framework/interfaces.ts";
import { type Constraint, ownConstraints } from "./constraints.ts";

const hasKeys = (node: core.Node | undefined, constraints: readonly Constraint[]): boolean =>
  node !== undefined && constraints.every(({ topologyKey }) => Object.hasOwn(node.metadata.labels ?? {}, topologyKey));

/** Whether one of the constraints counts a pod before the change, but not after it, or the other way round. */
function countsDiffer(
  constraints: readonly Constraint[],
  namespace: string,
  old: core.Pod | undefined,
  now: core.Pod | undefined,
): boolean {
  const [before, after] = [old, now].map((pod) =>
    pod === undefined || pod.metadata.namespace !== namespace ? undefined : podClassOf(pod as Stored<core.Pod>),
  );
  const counts = ({ query }: Constraint, one: typeof before): boolean => one !== undefined && query.matches(one);
  return constraints.some((constraint) => counts(constraint, before) !== counts(constraint, after));
}

/**
 * Hint of PodTopologySpread: pods that a constraint counts, and nodes that are in the domains of all constraints, or were.
 * For a pod without constraints of its own, the defaults depend on services, and any event may help.
 */
export function podTopologySpreadHint(features?: Parameters<typeof ownConstraints>[2]): QueueingHint {
  const compiled = new WeakMap<PodInfo, readonly Constraint[]>();
  return (pod, change) => {
    if (!pod.pod.spec.topologySpreadConstraints?.length) return "queue";
    let constraints = compiled.get(pod);
    if (constraints === undefined) {
      constraints = ownConstraints(pod, "DoNotSchedule", features);
      compiled.set(pod, constraints);
    }
    // Every change would cost as much as an attempt, which has a back-off.
    if (isTooLong(sumOfSteps(constraints))) return "queue";
    if (change.resource === "Pod")
      return countsDiffer(constraints, pod.namespace, change.old, change.now) ? "queue" : "skip";
    if (change.resource !== "Node") return "queue";
    const { old, now, events } = change;
    // Taints decide only which nodes are counted.
    if (events === ClusterEvent.NodeTaints)
      return constraints.some(({ honorTaints }) => honorTaints) ? "queue" : "skip";
    return hasKeys(old, constraints) || hasKeys(now, constraints) ? "queue" : "skip";
  };
}
