import { isPodAvailable, isPodReady } from "@orchernetes/component-helpers";
import { ordinalOf, type Pod, revisionLabel, type StatefulSet } from "./identity.ts";
import { type ClaimLookup, hasStrayClaims, lacksClaims, repairedPod } from "./repair.ts";

/** Everything that determines the next step of a set. */
export interface StatefulSetState {
  readonly set: StatefulSet;
  readonly pods: readonly Pod[];
  /** Name of the revision from which pods are updated. */
  readonly currentRevision: string;
  /** Name of the revision of the current template, to which pods are updated. */
  readonly updateRevision: string;
  /** Claims of the set's namespace. */
  readonly claim: ClaimLookup;
}

/** A write of the controller, in the order of the plan. */
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

/** Whether the pod is running, and has been ready for minReadySeconds. */
function isHealthy(set: StatefulSet, pod: Pod, now: Date): boolean {
  return (
    isRunningAndReady(pod) && !isTerminating(pod) && isPodAvailable(pod, set.spec.minReadySeconds ?? 0, now.getTime())
  );
}

/** The ordinals of a set's pods: as many as replicas, beginning with `spec.ordinals.start` (KEP-3335). */
function ordinalsOf({ spec }: StatefulSet): { readonly start: number; readonly end: number } {
  const start = spec.ordinals?.start ?? 0;
  return { start, end: start + (spec.replicas ?? 1) };
}

/**
 * Decides the next step of a set. Pure. Unless pods are managed in parallel, one pod at a time is created, deleted or
 * replaced, in order and only if all pods before it are healthy; surplus pods are deleted in reverse order. In both
 * modes, updates proceed from the last ordinal down to the partition, and wait for each pod.
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

/** Deletes surplus pods, the one with the highest ordinal first. */
function scaleDown(
  set: StatefulSet,
  condemned: readonly Pod[],
  monotonic: boolean,
  now: Date,
): readonly StatefulSetAction[] {
  const actions: StatefulSetAction[] = [];
  // The unhealthy pod with the lowest ordinal may be deleted in any state; the others wait for it.
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

/**
 * Replaces the last pod of an old revision when all pods after it are healthy. The partition is relative to the first
 * ordinal.
 */
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

/** The revision of a new pod: pods below the partition are created from the old revision. */
function revisionFor({ set, currentRevision, updateRevision }: StatefulSetState, ordinal: number): string {
  const { type = "RollingUpdate", rollingUpdate } = set.spec.updateStrategy ?? {};
  const { start } = ordinalsOf(set);
  const boundary = rollingUpdate === undefined ? (set.status?.currentReplicas ?? 0) : (rollingUpdate.partition ?? 0);
  return type === "RollingUpdate" && ordinal < start + boundary ? currentRevision : updateRevision;
}
