import type { apps } from "@orchernetes/api";
import { formatTime } from "@orchernetes/apimachinery";
import { isPodAvailable, isPodReady } from "@orchernetes/component-helpers";
import { inDeletionOrder, noPlan, type Plan } from "@orchernetes/controller";
import { messageOf } from "@orchernetes/kernel";
import { semanticEqual } from "../../shared/semantic-equal.ts";
import type { Pod, ReplicaSetLike } from "./replica-set-like.ts";

/** Maximum number of pods that are created or deleted in one sync. */
const burstReplicas = 500;

/** Everything that determines which pods are created or deleted. */
export interface ReplicaSetState {
  readonly set: ReplicaSetLike;
  /** The set's active pods. */
  readonly pods: readonly Pod[];
  /** Whether the caches contain the results of all earlier creations and deletions. */
  readonly settled: boolean;
  /** Active pods of the set and its siblings (of the same Deployment) per node; called only if pods are deleted. */
  readonly siblingsOn: (nodeName: string) => number;
}

/** A write of the controller. */
export type ReplicaSetAction =
  | { readonly type: "CreatePods"; readonly count: number }
  | { readonly type: "DeletePods"; readonly pods: readonly Pod[] };

/** Decides how many pods to create, or which to delete. Pure. */
export function reconcile({ set, pods, settled, siblingsOn }: ReplicaSetState, now: Date): Plan<ReplicaSetAction> {
  if (!settled || set.metadata.deletionTimestamp !== undefined) return noPlan;
  const surplus = pods.length - (set.spec.replicas ?? 1);
  if (surplus === 0) return noPlan;
  if (surplus < 0) return { actions: [{ type: "CreatePods", count: Math.min(-surplus, burstReplicas) }] };
  const count = Math.min(surplus, burstReplicas);
  // If all pods are deleted, their order does not matter.
  const order = count < pods.length ? inDeletionOrder(pods, siblingsOn, now.getTime()) : pods;
  return { actions: [{ type: "DeletePods", pods: order.slice(0, count) }] };
}

/**
 * Computes the status from the pods. Returns the current object if nothing has changed. A failure to create or delete
 * pods is reported as condition `ReplicaFailure` until the next success. Pure.
 */
export function statusOf(
  set: ReplicaSetLike,
  pods: readonly Pod[],
  failure: unknown,
  now: Date,
): apps.ReplicaSetStatus {
  const templateLabels = Object.entries(set.spec.template?.metadata?.labels ?? {});
  const minReadySeconds = set.spec.minReadySeconds ?? 0;
  let fullyLabeled = 0;
  let ready = 0;
  let available = 0;
  for (const pod of pods) {
    const labels = pod.metadata.labels ?? {};
    if (templateLabels.every(([key, value]) => labels[key] === value)) fullyLabeled += 1;
    if (!isPodReady(pod)) continue;
    ready += 1;
    if (isPodAvailable(pod, minReadySeconds, now.getTime())) available += 1;
  }
  const old = set.status;
  const conditions = conditionsOf(set, pods.length, failure, now);
  const status: apps.ReplicaSetStatus = {
    replicas: pods.length,
    ...(fullyLabeled === 0 ? {} : { fullyLabeledReplicas: fullyLabeled }),
    ...(ready === 0 ? {} : { readyReplicas: ready }),
    ...(available === 0 ? {} : { availableReplicas: available }),
    observedGeneration: set.metadata.generation,
    ...(conditions.length === 0 ? {} : { conditions }),
  };
  return semanticEqual(status, old) ? old : status;
}

function conditionsOf(
  set: ReplicaSetLike,
  podCount: number,
  failure: unknown,
  now: Date,
): readonly apps.ReplicaSetCondition[] {
  const old = set.status.conditions ?? [];
  const known = old.some(({ type }) => type === "ReplicaFailure");
  if (failure === undefined) return known ? old.filter(({ type }) => type !== "ReplicaFailure") : old;
  if (known) return old;
  const condition: apps.ReplicaSetCondition = {
    type: "ReplicaFailure",
    status: "True",
    reason: podCount < (set.spec.replicas ?? 1) ? "FailedCreate" : "FailedDelete",
    message: messageOf(failure),
    lastTransitionTime: formatTime(now),
  };
  return [...old, condition];
}

/** Milliseconds until pods that are ready become available, which causes no event; undefined if there are none. */
export function nextAvailabilityMs(set: ReplicaSetLike, status: apps.ReplicaSetStatus): number | undefined {
  const { minReadySeconds = 0, replicas = 1 } = set.spec;
  const pending = status.readyReplicas === replicas && status.availableReplicas !== replicas;
  return minReadySeconds > 0 && pending ? minReadySeconds * 1000 : undefined;
}
