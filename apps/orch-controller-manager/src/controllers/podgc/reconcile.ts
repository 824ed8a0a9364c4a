import type { core } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import { isConditionTrue, isPodTerminal } from "@orchernetes/component-helpers";
import type { Plan } from "@orchernetes/controller";

type Pod = Stored<core.Pod>;
type Node = Stored<core.Node>;

/** How long a node must be unknown before its pods are taken for lost. */
const quarantineMs = 40_000;

export interface PodGcState {
  readonly pods: readonly Pod[];
  readonly nodes: readonly Node[];
  /** Nodes that pods name and nobody knows, with the time they were first missed. */
  readonly missingSince: ReadonlyMap<string, number>;
  /** Ended pods that may stay; 0 or less: all. */
  readonly terminatedThreshold: number;
}

export type PodGcAction =
  /** `node`: only if the server does not know it either. */
  { readonly type: "DeletePod"; readonly pod: Pod; readonly reason: string; readonly node?: string };

const outOfServiceTaint = "node.orchernetes.io/out-of-service";

/** The pods that nobody else will remove. */
export function reconcile(state: PodGcState, now: Date): Plan<PodGcAction> {
  const { pods, nodes, missingSince, terminatedThreshold } = state;
  const known = new Map(nodes.map((node) => [node.metadata.name, node]));
  const doomed = new Map<string, PodGcAction>();
  const doom = (action: PodGcAction): void => {
    const { uid } = action.pod.metadata;
    if (!doomed.has(uid)) doomed.set(uid, action);
  };

  if (terminatedThreshold > 0) {
    const ended = pods.filter((pod) => isPodTerminal(pod) && pod.metadata.deletionTimestamp === undefined);
    const surplus = ended.length - terminatedThreshold;
    if (surplus > 0) {
      ended.sort((a, b) => compareAge(a, b));
      for (const pod of ended.slice(0, surplus)) doom({ type: "DeletePod", pod, reason: "terminated" });
    }
  }
  for (const pod of pods) {
    const { nodeName } = pod.spec;
    const leaving = pod.metadata.deletionTimestamp !== undefined;
    if (!nodeName) {
      // No agent will ever confirm the end of a pod that was never on a node.
      if (leaving) doom({ type: "DeletePod", pod, reason: "unscheduled and terminating" });
      continue;
    }
    const node = known.get(nodeName);
    if (node === undefined) {
      const since = missingSince.get(nodeName);
      if (since !== undefined && now.getTime() - since >= quarantineMs) {
        doom({ type: "DeletePod", pod, reason: "orphaned", node: nodeName });
      }
    } else if (leaving && isOutOfService(node)) {
      doom({ type: "DeletePod", pod, reason: "terminating on an out-of-service node" });
    }
  }
  return { actions: [...doomed.values()] };
}

const compareAge = (a: Pod, b: Pod): number =>
  a.metadata.creationTimestamp < b.metadata.creationTimestamp
    ? -1
    : a.metadata.creationTimestamp > b.metadata.creationTimestamp
      ? 1
      : a.metadata.name < b.metadata.name
        ? -1
        : 1;

function isOutOfService(node: Node): boolean {
  return (
    !isConditionTrue(node.status.conditions, "Ready") &&
    (node.spec.taints ?? []).some(({ key }) => key === outOfServiceTaint)
  );
}

/** Nodes that are missed now, each with the time since when. */
export function missingNodes(
  pods: readonly Pod[],
  nodes: readonly Node[],
  before: ReadonlyMap<string, number>,
  now: Date,
): ReadonlyMap<string, number> {
  const known = new Set(nodes.map(({ metadata }) => metadata.name));
  const missing = new Map<string, number>();
  for (const { spec } of pods) {
    const { nodeName } = spec;
    if (nodeName && !known.has(nodeName)) missing.set(nodeName, before.get(nodeName) ?? now.getTime());
  }
  return missing;
}
