import { core } from "@orchernetes/api";
import { equalJson, isNotFound, type Stored } from "@orchernetes/apimachinery";
import type { Client } from "@orchernetes/client";
import { isPodTerminal } from "@orchernetes/component-helpers";
import { type Clock, type Logger, systemClock } from "@orchernetes/kernel";
import { isMirrorPod } from "../types/pod-identity.ts";

/**
 * Writes the statuses of pods to the API server. Writes of one pod are serialized, and only the latest status is
 * written if the server lags. Changes that other writers made to the agent's fields are reverted: the node lifecycle
 * controller, for example, marks pods as not ready while their node is not ready.
 */
export interface StatusManager {
  /** Queues `status` for writing, unless the API server has it already. Replaces a status that is still queued. */
  set(pod: core.Pod, status: core.PodStatus): void;
  /** The status that was set last. */
  get(uid: string): core.PodStatus | undefined;
  /** Resolves when no status of the pod is queued. */
  flushed(uid: string): Promise<void>;
  /** Drops the state of a pod that is gone. */
  forget(uid: string): void;
}

interface Entry {
  status: core.PodStatus;
  pod: core.Pod;
  written: core.PodStatus | undefined;
  /**
   * Resource versions that need no comparison: the version before the last write, which the watch may still show, and
   * the version that the write created.
   */
  known: ReadonlySet<string | undefined>;
  writing: Promise<void> | undefined;
  /** When the status changed that is not written yet; monotonic, in milliseconds. */
  changedAtMs: number;
}

/** Delay after a failed write. */
const retryMs = 1000;

/** Creates the status manager of this node's pods. */
export function createStatusManager(options: {
  /** Undefined without an API server; statuses are then stored, but not written. */
  readonly client: Client | undefined;
  /** The pod of the API server that shows the status of `pod`: the pod itself or its mirror pod. */
  readonly shownBy: (pod: core.Pod) => core.Pod | undefined;
  /** Called when a status was written, with the time since it has changed. @default nobody measures it */
  readonly onWritten?: (ms: number) => void;
  /** @default systemClock */
  readonly clock?: Pick<Clock, "monotonicMs">;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}): StatusManager {
  const { client, shownBy, onWritten, clock = systemClock, logger, signal } = options;
  const entries = new Map<string, Entry>();

  const write = async (entry: Entry): Promise<void> => {
    while (!signal.aborted && client !== undefined) {
      const target = shownBy(entry.pod);
      if (target === undefined) return;
      const { status } = entry;
      const { resourceVersion } = target.metadata;
      if ((entry.written === status && entry.known.has(resourceVersion)) || shows(target, status)) {
        entry.written = status;
        if (entry.status === status) return;
        continue;
      }
      try {
        const { changedAtMs } = entry;
        const result = await patch(client, target, status, signal);
        // What is written again because somebody else has changed it is no change of the pod.
        if (entry.written !== status) onWritten?.(clock.monotonicMs() - changedAtMs);
        entry.written = status;
        entry.known = new Set([resourceVersion, result.metadata.resourceVersion]);
        if (entry.status === status) return;
      } catch (error) {
        // The pod was deleted, or another pod has its name: there is nothing to write.
        if (isNotFound(error) || isConflictOfUid(error)) return;
        if (signal.aborted) return;
        logger.error(error, "Failed to update status for pod", { pod: target.metadata.name ?? "" });
        await new Promise((resolve) => setTimeout(resolve, retryMs));
      }
    }
  };

  const start = (entry: Entry): void => {
    entry.writing ??= write(entry).finally(() => {
      entry.writing = undefined;
    });
  };

  return {
    set(pod, status) {
      const { uid = "" } = pod.metadata;
      const entry = entries.get(uid);
      if (entry === undefined) {
        const changedAtMs = clock.monotonicMs();
        const added: Entry = { pod, status, written: undefined, known: new Set(), writing: undefined, changedAtMs };
        entries.set(uid, added);
        start(added);
        return;
      }
      entry.pod = pod;
      if (!equalJson(entry.status, status)) {
        // Of several changes before a write, the first counts.
        if (entry.written === entry.status) entry.changedAtMs = clock.monotonicMs();
        entry.status = status;
      }
      start(entry);
    },
    get: (uid) => entries.get(uid)?.status,
    async flushed(uid) {
      const entry = entries.get(uid);
      while (entry?.writing !== undefined) await entry.writing;
    },
    forget: (uid) => void entries.delete(uid),
  };
}

/** Whether the uid in the patch did not match: another pod has the name now. */
const isConflictOfUid = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === 409 && /precondition/i.test(error.message);

/** Optional fields, which the patch must remove explicitly when they are no longer set. */
const clearable = [
  "reason",
  "message",
  "podIP",
  "initContainerStatuses",
  "ephemeralContainerStatuses",
] as const satisfies readonly (keyof core.PodStatus)[];

/** Whether the API server's pod already has this status. Conditions and fields of other writers are ignored. */
function shows(target: core.Pod, status: core.PodStatus): boolean {
  const { status: shown = {} } = target;
  // A terminal phase is final, except for a mirror pod, whose static pod may run again.
  if (isPodTerminal({ status: shown }) && !isPodTerminal({ status }) && !isMirrorPod(target)) return true;
  const { conditions = [], ...fields } = status;
  const others: Readonly<Record<string, unknown>> = { ...shown };
  return (
    Object.entries(fields).every(([field, value]) => equalJson(others[field], value)) &&
    clearable.every((field) => fields[field] !== undefined || shown[field] === undefined) &&
    conditions.every((own) => equalJson(shown.conditions?.find(({ type }) => type === own.type) ?? {}, own))
  );
}

/**
 * Writes the status with a strategic merge patch, which keeps conditions of other writers. The uid is a precondition.
 */
function patch(
  client: Client,
  target: core.Pod,
  status: core.PodStatus,
  signal: AbortSignal,
): Promise<Stored<core.Pod>> {
  const { name = "", namespace = "", uid = "" } = target.metadata;
  const before = target.status ?? {};
  const cleared = clearable.filter((field) => before[field] !== undefined && status[field] === undefined);
  const wanted = new Set((status.podIPs ?? []).map(({ ip }) => ip));
  const stale = (before.podIPs ?? []).filter(({ ip }) => !wanted.has(ip)).map(({ ip }) => ({ $patch: "delete", ip }));
  const podIPs = [...(status.podIPs ?? []), ...stale];
  // Conditions are merged by type, so removed members must be null.
  const conditions = (status.conditions ?? []).map((condition) => {
    const shown = before.conditions?.find(({ type }) => type === condition.type);
    return {
      ...condition,
      ...(shown?.reason !== undefined && condition.reason === undefined ? { reason: null } : {}),
      ...(shown?.message !== undefined && condition.message === undefined ? { message: null } : {}),
    };
  });
  const body = {
    metadata: { uid },
    status: {
      ...status,
      conditions,
      ...(podIPs.length === 0 ? {} : { podIPs }),
      ...Object.fromEntries(cleared.map((field) => [field, null])),
    },
  };
  return client
    .resource(core.pods)
    .namespace(namespace)
    .patch(name, body, { type: "strategic", subresource: "status", signal });
}
