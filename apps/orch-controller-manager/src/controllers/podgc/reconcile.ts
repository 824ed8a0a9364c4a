import type { core } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import { isConditionTrue, isPodTerminal } from "@orchernetes/component-helpers";
import type { Plan } from "@orchernetes/controller";

type Pod = Stored<core.Pod>;
type Node = Stored<core.Node>;

/** Time for which a node must be missing before its pods are deleted: it may have been created again. */
const quarantineMs = 40_000;

/** Everything that determines which pods are deleted. */
export interface PodGcState {
  readonly pods: readonly Pod[];
  readonly nodes: readonly Node[];
  /** Nodes that pods refer to but that do not exist, with the time at which they were first found missing. */
  readonly missingSince: ReadonlyMap<string, number>;
  /** Maximum number of terminated pods; 0 or less for no limit. */
  readonly terminatedThreshold: number;
}

/** A deletion, with its reason. */
export type PodGcAction =
  /** `node`: the pod is deleted only if this node does not exist on the server either. */
  { readonly type: "DeletePod"; readonly pod: Pod; readonly reason: string; readonly node?: string };

const outOfServiceTaint = "node.orchernetes.io/out-of-service";

/** Selects the pods that no agent will remove. Pure. */
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
      // The pod was never bound to a node, so no agent will confirm its termination.
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

/** The nodes that are missing now, with the time at which each was first found missing. */
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
