import type { core } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import { isPodAvailable } from "@orchernetes/component-helpers";
import type { Plan } from "@orchernetes/controller";
import { type DaemonSet, isUpdated, type Pod, targetNode } from "./daemon-pod.ts";
import { nodeFit } from "./node-fit.ts";
import { rollingStep } from "./rolling-step.ts";

/** Everything that determines which pods a set should have. */
export interface DaemonSetState {
  readonly set: DaemonSet;
  readonly nodes: readonly Stored<core.Node>[];
  /** The set's pods, including terminating ones. */
  readonly pods: readonly Pod[];
  /** Hash of the current template. */
  readonly hash: string;
  /** Milliseconds for which the failed pod of a node is not replaced. */
  readonly backoffMs: (nodeName: string) => number;
}

/** A write of the controller, in the order of the plan. */
export type DaemonSetAction =
  | { readonly type: "CreatePods"; readonly nodeNames: readonly string[] }
  | { readonly type: "DeletePods"; readonly pods: readonly Pod[] }
  | { readonly type: "Warn"; readonly reason: "FailedDaemonPod" | "SucceededDaemonPod"; readonly message: string };

/** Maximum number of pods that are created or deleted in one sync. */
const burstReplicas = 250;

/** Groups pods by the node to which they are bound or restricted. */
export function byNode(pods: readonly Pod[]): ReadonlyMap<string, readonly Pod[]> {
  const groups = new Map<string, Pod[]>();
  for (const pod of pods) {
    const node = targetNode(pod);
    if (node === undefined) continue;
    const group = groups.get(node);
    if (group === undefined) groups.set(node, [pod]);
    else group.push(pod);
  }
  return groups;
}

/** Sorts bound pods first, then older pods first. The first pod of a node is the one to keep. */
export function oldestFirst(pods: readonly Pod[]): readonly Pod[] {
  return [...pods].sort(
    (a, b) =>
      (a.spec.nodeName ? 0 : 1) - (b.spec.nodeName ? 0 : 1) ||
      Date.parse(a.metadata.creationTimestamp) - Date.parse(b.metadata.creationTimestamp) ||
      (a.metadata.name < b.metadata.name ? -1 : 1),
  );
}

/**
 * Creates one pod on every eligible node, deletes all others, and then takes the next step of a rolling update. Pure.
 */
export function reconcile(state: DaemonSetState, now: Date): Plan<DaemonSetAction> {
  const { set, nodes, pods } = state;
  const groups = byNode(pods);
  const create: string[] = [];
  const doomed = new Set<Pod>();
  const warnings: DaemonSetAction[] = [];
  let waitMs: number | undefined;
  for (const node of nodes) {
    const { name } = node.metadata;
    const { shouldRun, mayStay } = nodeFit(set.spec.template.spec, node);
    const here = groups.get(name) ?? [];
    if (shouldRun && here.length === 0) {
      create.push(name);
      continue;
    }
    const present = here.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    if (!mayStay) {
      for (const pod of present) doomed.add(pod);
      continue;
    }
    const running: Pod[] = [];
    for (const pod of present) {
      const { phase } = pod.status;
      if (phase !== "Failed" && phase !== "Succeeded") {
        running.push(pod);
        continue;
      }
      const leftMs = phase === "Failed" ? state.backoffMs(name) : 0;
      if (leftMs > 0) {
        waitMs = Math.min(waitMs ?? Number.POSITIVE_INFINITY, leftMs);
        continue;
      }
      const { namespace, name: podName } = pod.metadata;
      const [what, reason] =
        phase === "Failed" ? (["failed", "FailedDaemonPod"] as const) : (["succeeded", "SucceededDaemonPod"] as const);
      const end = phase === "Failed" ? "kill" : "delete";
      const message = `Found ${what} daemon pod ${namespace}/${podName} on node ${name}, will try to ${end} it`;
      warnings.push({ type: "Warn", reason, message });
      doomed.add(pod);
    }
    for (const pod of surplus(set, running, state.hash, now)) doomed.add(pod);
  }
  const nodeNames = new Set(nodes.map(({ metadata }) => metadata.name));
  // Pods that are restricted to a deleted node can never be scheduled.
  for (const pod of pods) {
    const target = targetNode(pod);
    if (pod.spec.nodeName || target === undefined || nodeNames.has(target)) continue;
    if (pod.metadata.deletionTimestamp === undefined) doomed.add(pod);
  }
  if (create.length === 0 && doomed.size === 0) {
    const step = rollingStep(state, groups, now);
    create.push(...step.create);
    for (const pod of step.delete) doomed.add(pod);
  }
  const actions: DaemonSetAction[] = [...warnings];
  if (doomed.size > 0) actions.push({ type: "DeletePods", pods: [...doomed].slice(0, burstReplicas) });
  if (create.length > 0) actions.push({ type: "CreatePods", nodeNames: create.slice(0, burstReplicas) });
  return waitMs === undefined ? { actions } : { actions, requeueAfterMs: waitMs };
}

/** Pods beyond the one that a node should have, or with `maxSurge`, beyond one old and one new pod. */
function surplus(set: DaemonSet, running: readonly Pod[], hash: string, now: Date): readonly Pod[] {
  if (running.length <= 1) return [];
  const sorted = oldestFirst(running);
  const { maxSurge = 0 } = set.spec.updateStrategy?.rollingUpdate ?? {};
  if (maxSurge === 0 || maxSurge === "0%") return sorted.slice(1);
  const [fresh, ...moreFresh] = sorted.filter((pod) => isUpdated(pod, set, hash));
  const [old, ...moreOld] = sorted.filter((pod) => !isUpdated(pod, set, hash));
  const available = fresh !== undefined && isPodAvailable(fresh, set.spec.minReadySeconds ?? 0, now.getTime());
  return [...moreFresh, ...moreOld, ...(available && old !== undefined ? [old] : [])];
}
