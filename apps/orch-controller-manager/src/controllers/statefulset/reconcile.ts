import { isPodAvailable, isPodReady } from "@orchernetes/controller";
import { ordinalOf, type Pod, revisionLabel, type StatefulSet } from "./identity.ts";

export interface StatefulSetState {
  readonly set: StatefulSet;
  readonly pods: readonly Pod[];
  /** Name of the revision that the pods come from. */
  readonly currentRevision: string;
  /** Name of the present template's revision, which they go to. */
  readonly updateRevision: string;
}

export type StatefulSetAction =
  | { readonly type: "CreatePod"; readonly ordinal: number; readonly revision: string }
  | { readonly type: "DeletePod"; readonly pod: Pod; readonly reason: "failed" | "scaled" | "updated" };

const isTerminating = ({ metadata }: Pod): boolean => metadata.deletionTimestamp !== undefined;
const isRunningAndReady = (pod: Pod): boolean => pod.status.phase === "Running" && isPodReady(pod);

/** Whether the pod has done its part: running, and ready for as long as asked. */
export function isHealthy(set: StatefulSet, pod: Pod, now: Date): boolean {
  return (
    isRunningAndReady(pod) && !isTerminating(pod) && isPodAvailable(pod, set.spec.minReadySeconds ?? 0, now.getTime())
  );
}

/** The ordinals of a set's pods: from the first one, as many as replicas. */
export function ordinalsOf({ spec }: StatefulSet): { readonly start: number; readonly end: number } {
  const start = spec.ordinals?.start ?? 0;
  return { start, end: start + (spec.replicas ?? 1) };
}

/**
 * What to do next. Unless pods are managed in parallel, one pod is made, deleted or replaced at a time, in order, and only
 * when all before it are healthy; those beyond the number wanted go from the last one down. Updates go from the last ordinal
 * down to the partition, waiting for each pod, in either mode.
 */
export function reconcile(state: StatefulSetState, now: Date): readonly StatefulSetAction[] {
  const { set, pods, updateRevision } = state;
  if (set.metadata.deletionTimestamp !== undefined) return [];
  const { start, end } = ordinalsOf(set);
  const monotonic = (set.spec.podManagementPolicy ?? "OrderedReady") === "OrderedReady";
  const byOrdinal = new Map<number, Pod>();
  for (const pod of pods) {
    const ordinal = ordinalOf(set, pod);
    if (ordinal !== undefined) byOrdinal.set(ordinal, pod);
  }
  const actions: StatefulSetAction[] = [];
  for (let ordinal = start; ordinal < end; ordinal++) {
    const pod = byOrdinal.get(ordinal);
    if (pod === undefined) actions.push({ type: "CreatePod", ordinal, revision: revisionFor(state, ordinal) });
    else if (pod.status.phase === "Failed" && !isTerminating(pod)) {
      actions.push({ type: "DeletePod", pod, reason: "failed" });
    } else if (!monotonic || isHealthy(set, pod, now)) continue;
    if (monotonic) return actions;
  }
  const condemned = [...byOrdinal]
    .filter(([ordinal]) => ordinal < start || ordinal >= end)
    .sort(([a], [b]) => b - a)
    .map(([, pod]) => pod);
  // The lowest unhealthy pod may go, whatever its state; the others wait for it.
  const firstUnhealthy = condemned.findLast((pod) => !isHealthy(set, pod, now));
  for (const pod of condemned) {
    if (isTerminating(pod)) {
      if (monotonic) return actions;
      continue;
    }
    if (monotonic && !isHealthy(set, pod, now) && pod !== firstUnhealthy) return actions;
    actions.push({ type: "DeletePod", pod, reason: "scaled" });
    if (monotonic) return actions;
  }
  if (actions.length > 0 || set.spec.updateStrategy?.type === "OnDelete") return actions;
  const { partition = 0 } = set.spec.updateStrategy?.rollingUpdate ?? {};
  for (let ordinal = end - 1; ordinal >= Math.max(start, partition); ordinal--) {
    const pod = byOrdinal.get(ordinal);
    if (pod === undefined) return actions;
    if (pod.metadata.labels?.[revisionLabel] !== updateRevision && !isTerminating(pod)) {
      return [{ type: "DeletePod", pod, reason: "updated" }];
    }
    if (!isHealthy(set, pod, now)) return actions;
  }
  return actions;
}

/** Below the partition pods are made from the revision that the set comes from. */
function revisionFor({ set, currentRevision, updateRevision }: StatefulSetState, ordinal: number): string {
  const { type = "RollingUpdate", rollingUpdate } = set.spec.updateStrategy ?? {};
  const { start } = ordinalsOf(set);
  const boundary = rollingUpdate === undefined ? (set.status?.currentReplicas ?? 0) : (rollingUpdate.partition ?? 0);
  return type === "RollingUpdate" && ordinal < start + boundary ? currentRevision : updateRevision;
}
