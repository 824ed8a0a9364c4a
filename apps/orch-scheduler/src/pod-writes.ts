import type { core } from "@orchernetes/api";
import { ApiError, formatTime, isConflict, isNotFound, type Stored } from "@orchernetes/apimachinery";
import type { Client } from "@orchernetes/client";
import {
  findCondition,
  formatLeaseClaim,
  LEASE_NOT_HELD,
  type LeaseClaim,
  leaseClaimHeader,
} from "@orchernetes/component-helpers";
import { DISRUPTION_TARGET, PREEMPTION_BY_SCHEDULER } from "./cache/disruption.ts";

const pathOf = ({ namespace = "", name }: Stored<core.Pod>["metadata"]): string =>
  `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}`;

/**
 * Binds a pod to a node. The server accepts this once, and only for the pod with this uid, so that two schedulers
 * cannot bind it twice.
 *
 * @param lease the lease under which the node was chosen; the server rejects the binding if it is held otherwise
 * @throws ApiError NotFound when the pod was deleted, Conflict when it is another one, bound already, or terminating
 */
export async function bindPod(
  client: Client,
  { metadata }: Stored<core.Pod>,
  node: string,
  lease?: LeaseClaim,
): Promise<void> {
  const { namespace = "", name, uid } = metadata;
  await client.request({
    method: "POST",
    path: `${pathOf(metadata)}/binding`,
    body: {
      apiVersion: "v1",
      kind: "Binding",
      metadata: { name, namespace, uid },
      target: { apiVersion: "v1", kind: "Node", name: node },
    },
    ...claimed(lease),
  });
}

/** The claim of a request that depends on a lease. */
const claimed = (lease: LeaseClaim | undefined): { readonly headers?: Readonly<Record<string, string>> } =>
  lease === undefined ? {} : { headers: { [leaseClaimHeader]: formatLeaseClaim(lease) } };

/** Whether a write was rejected because the lease is held otherwise. */
export const isLeaseLost = (error: unknown): boolean =>
  error instanceof ApiError && error.status.details?.causes?.some(({ reason }) => reason === LEASE_NOT_HELD) === true;

/** What a failed attempt reports in a pod's status. */
export interface UnscheduledStatus {
  readonly reason: "Unschedulable" | "SchedulerError";
  readonly message: string;
  /** The nominated node; undefined leaves it unchanged, "" removes it. */
  readonly nominatedNodeName?: string;
}

/**
 * The patch of a pod's status that reports a failed attempt. Undefined if the status has it already: without this, each
 * retry would write, and the write would be an event for every watcher.
 */
export function unscheduledPatch(
  { metadata, status }: Stored<core.Pod>,
  { reason, message, nominatedNodeName }: UnscheduledStatus,
  now: Date,
): Readonly<Record<string, unknown>> | undefined {
  const present = findCondition(status.conditions, "PodScheduled");
  const isReported = present?.status === "False" && present.reason === reason && present.message === message;
  const nominated = nominatedNodeName === undefined || nominatedNodeName === (status.nominatedNodeName ?? "");
  if (isReported && nominated) return undefined;
  const lastTransitionTime =
    present?.status === "False" && present.lastTransitionTime ? present.lastTransitionTime : formatTime(now);
  return {
    // The uid is a precondition: a new pod with the name is not the one of the attempt.
    metadata: { uid: metadata.uid },
    status: {
      conditions: [{ type: "PodScheduled", status: "False", reason, message, lastProbeTime: null, lastTransitionTime }],
      ...(nominated ? {} : { nominatedNodeName: nominatedNodeName || null }),
    },
  };
}

/**
 * Writes a status patch. It is not an error if the pod was deleted or replaced.
 *
 * @param lease the lease under which the decision was made; the server rejects the patch if it is held otherwise
 * @throws ApiError, TransportError
 */
export async function patchPodStatus(
  client: Client,
  { metadata }: Stored<core.Pod>,
  body: unknown,
  lease?: LeaseClaim,
): Promise<void> {
  try {
    await client.request({
      method: "PATCH",
      path: `${pathOf(metadata)}/status`,
      contentType: "application/strategic-merge-patch+json",
      body,
      ...claimed(lease),
    });
  } catch (error) {
    ignoreChanged(error);
  }
}

/** @throws the error, unless it says that the pod was deleted or replaced */
function ignoreChanged(error: unknown): void {
  if (isLeaseLost(error) || !(isNotFound(error) || isConflict(error))) throw error;
}

/** Who evicts a pod, and when. */
interface Eviction {
  readonly schedulerName: string;
  readonly now: Date;
  /** Whether the pod's status says why it is deleted (feature gate PodDisruptionConditions). */
  readonly hasCondition: boolean;
  /** The lease under which that was decided. */
  readonly lease?: LeaseClaim | undefined;
}

/**
 * Preempts a pod in favor of another: reports the reason in its status, then deletes it with its own grace period.
 * A pod that terminates already is treated in the same way, so that the preemptor waits for it.
 * Nothing happens if the pod was deleted already.
 *
 * @param eviction its `lease` is that of {@link patchPodStatus}
 * @throws ApiError, TransportError
 */
export async function evictPod(client: Client, pod: Stored<core.Pod>, eviction: Eviction): Promise<void> {
  const { schedulerName, now, hasCondition, lease } = eviction;
  const { uid } = pod.metadata;
  const condition = {
    type: DISRUPTION_TARGET,
    status: "True",
    reason: PREEMPTION_BY_SCHEDULER,
    message: `${schedulerName}: preempting to accommodate a higher priority pod`,
    lastTransitionTime: formatTime(now),
  };
  if (hasCondition)
    await patchPodStatus(client, pod, { metadata: { uid }, status: { conditions: [condition] } }, lease);
  try {
    const body = { preconditions: { uid } };
    await client.request({ method: "DELETE", path: pathOf(pod.metadata), body, ...claimed(lease) });
  } catch (error) {
    ignoreChanged(error);
  }
}
