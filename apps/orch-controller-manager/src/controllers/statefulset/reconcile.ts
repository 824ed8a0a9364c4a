import { isPodAvailable, isPodReady } from "@orchernetes/component-helpers";
import { ordinalOf, type Pod, revisionLabel, type StatefulSet } from "./identity.ts";
import { type ClaimLookup, hasStrayClaims, lacksClaims, repairedPod } from "./repair.ts";

export interface StatefulSetState {
  readonly set: StatefulSet;
  readonly pods: readonly Pod[];
  /** Name of the revision that the pods come from. */
  readonly currentRevision: string;
  /** Name of the present template's revision, which they go to. */
  readonly updateRevision: string;
  /** Claims of the set's namespace. */
  readonly claim: ClaimLookup;
}

export type StatefulSetAction =
  | { readonly type: "CreatePod"; readonly ordinal: number; readonly revision: string }
  /** Creates the missing claims of the pod. */
  | { readonly type: "CreateClaims"; readonly pod: Pod }
  /** Creates missing claims, and repairs their owners, the pod's label and its volumes. */
  | { readonly type: "RepairPod"; readonly pod: Pod }
  | { readonly type: "RepairClaims"; readonly pod: Pod }
  | { readonly type: "DeletePod"; readonly pod: Pod; readonly reason: "failed" | "scaled" | "updated" };

const isTerminating = ({ metadata }: Pod): boolean => metadata.deletionTimestamp !== undefined;
const isRunningAndReady = (pod: Pod): boolean => pod.status.phase === "Running" && isPodReady(pod);

/** Whether the pod has done its part: running, and ready for as long as asked. */
function isHealthy(set: StatefulSet, pod: Pod, now: Date): boolean {
  return (
    isRunningAndReady(pod) && !isTerminating(pod) && isPodAvailable(pod, set.spec.minReadySeconds ?? 0, now.getTime())
  );
}

/** The ordinals of a set's pods: from the first one, as many as replicas. */
function ordinalsOf({ spec }: StatefulSet): { readonly start: number; readonly end: number } {
  const start = spec.ordinals?.start ?? 0;
  return { start, end: start + (spec.replicas ?? 1) };
}

/**
 * What to do next. Unless pods are managed in parallel, one pod is made, deleted or replaced at a time, in order, and only
 * when all before it are healthy; those beyond the number wanted go from the last one down. Updates go from the last ordinal
 * down to the partition, waiting for each pod, in either mode.
 */
export function reconcile(state: StatefulSetState, now: Date): readonly StatefulSetAction[] {
  const { set, pods } = state;
  if (set.metadata.deletionTimestamp !== undefined) return [];
  const { start, end } = ordinalsOf(set);
  const monotonic = (set.spec.podManagementPolicy ?? "OrderedReady") === "OrderedReady";
  const byOrdinal = new Map<number, Pod>();
  for (const pod of pods) {
    const ordinal = ordinalOf(set, pod);
    if (ordinal !== undefined) byOrdinal.set(ordinal, pod);
  }
  const actions: StatefulSetAction[] = [];
  const repairs: StatefulSetAction[] = [];
  for (let ordinal = start; ordinal < end; ordinal++) {
    const pod = byOrdinal.get(ordinal);
    if (pod === undefined) actions.push({ type: "CreatePod", ordinal, revision: revisionFor(state, ordinal) });
    else if (pod.status.phase === "Failed" && !isTerminating(pod)) {
      actions.push({ type: "DeletePod", pod, reason: "failed" });
    } else {
      const pending = pod.status.phase === "Pending" && !isTerminating(pod) && lacksClaims(set, pod, state.claim);
      if (pending) actions.push({ type: "CreateClaims", pod });
      if (!monotonic || isHealthy(set, pod, now)) {
        if (!isTerminating(pod) && needsRepair(state, pod)) repairs.push({ type: "RepairPod", pod });
        continue;
      }
    }
    if (monotonic) return [...repairs, ...actions];
  }
  const condemned = [...byOrdinal]
    .filter(([ordinal]) => ordinal < start || ordinal >= end)
    .sort(([a], [b]) => b - a)
    .map(([, pod]) => pod);
  for (const pod of condemned) if (hasStrayClaims(set, pod, state.claim)) repairs.push({ type: "RepairClaims", pod });
  const next = actions.length > 0 && monotonic ? [] : scaleDown(set, condemned, monotonic, now);
  actions.push(...next);
  const busy = actions.some(({ type }) => type !== "CreateClaims") || (monotonic && condemned.length > 0);
  if (!busy && set.spec.updateStrategy?.type !== "OnDelete") actions.push(...update(state, byOrdinal, now));
  return [...repairs, ...actions];
}

/** Deletes surplus pods, the last one first. */
function scaleDown(
  set: StatefulSet,
  condemned: readonly Pod[],
  monotonic: boolean,
  now: Date,
): readonly StatefulSetAction[] {
  const actions: StatefulSetAction[] = [];
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
  return actions;
}

/** Replaces the last pod of an old revision, once all pods after it are healthy. The partition is relative to the first ordinal. */
function update(
  { set, updateRevision }: StatefulSetState,
  byOrdinal: ReadonlyMap<number, Pod>,
  now: Date,
): readonly StatefulSetAction[] {
  const { start, end } = ordinalsOf(set);
  const { partition = 0 } = set.spec.updateStrategy?.rollingUpdate ?? {};
  for (let ordinal = end - 1; ordinal >= start + partition; ordinal--) {
    const pod = byOrdinal.get(ordinal);
    if (pod === undefined) return [];
    if (pod.metadata.labels?.[revisionLabel] !== updateRevision && !isTerminating(pod)) {
      return [{ type: "DeletePod", pod, reason: "updated" }];
    }
    if (!isHealthy(set, pod, now)) return [];
  }
  return [];
}

function needsRepair({ set, claim }: StatefulSetState, pod: Pod): boolean {
  return repairedPod(set, pod) !== undefined || lacksClaims(set, pod, claim) || hasStrayClaims(set, pod, claim);
}

/** Below the partition pods are made from the revision that the set comes from. */
function revisionFor({ set, currentRevision, updateRevision }: StatefulSetState, ordinal: number): string {
  const { type = "RollingUpdate", rollingUpdate } = set.spec.updateStrategy ?? {};
  const { start } = ordinalsOf(set);
  const boundary = rollingUpdate === undefined ? (set.status?.currentReplicas ?? 0) : (rollingUpdate.partition ?? 0);
  return type === "RollingUpdate" && ordinal < start + boundary ? currentRevision : updateRevision;
}
