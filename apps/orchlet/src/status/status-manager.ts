import { core } from "@orchernetes/api";
import { equalJson, isNotFound, type Stored } from "@orchernetes/apimachinery";
import type { Client } from "@orchernetes/client";
import { isPodTerminal } from "@orchernetes/component-helpers";
import type { Logger } from "@orchernetes/kernel";
import { isMirrorPod } from "../types/pod-identity.ts";

/**
 * Writes the statuses of pods to the API server: only what changed, per pod in order, the newest first when it lags. What
 * others made of a status (the node's controller says that pods are not ready while their node is not) is put right.
 */
export interface StatusManager {
  /** Has `status` written for the pod unless it shows already; replaces one that still waits. */
  set(pod: core.Pod, status: core.PodStatus): void;
  /** What was set last. */
  get(uid: string): core.PodStatus | undefined;
  /** Resolves when nothing waits to be written for the pod. */
  flushed(uid: string): Promise<void>;
  /** Forgets a pod that is gone. */
  forget(uid: string): void;
}

interface Entry {
  status: core.PodStatus;
  pod: core.Pod;
  written: core.PodStatus | undefined;
  /** Versions of the API server's pod that need no look: the one before the last write, which the watch may still show, and its result. */
  known: ReadonlySet<string | undefined>;
  writing: Promise<void> | undefined;
}

const retryMs = 1000;

export function createStatusManager(options: {
  /** Undefined without an API server: statuses are kept, not written. */
  readonly client: Client | undefined;
  /** The pod of the API server that shows the status of `pod`: itself, or its mirror. */
  readonly shownBy: (pod: core.Pod) => core.Pod | undefined;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}): StatusManager {
  const { client, shownBy, logger, signal } = options;
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
        const result = await patch(client, target, status, signal);
        entry.written = status;
        entry.known = new Set([resourceVersion, result.metadata.resourceVersion]);
        if (entry.status === status) return;
      } catch (error) {
        // The pod went away, or another one has its name: there is nothing to tell any more.
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
        const added: Entry = { pod, status, written: undefined, known: new Set(), writing: undefined };
        entries.set(uid, added);
        start(added);
        return;
      }
      entry.pod = pod;
      if (!equalJson(entry.status, status)) entry.status = status;
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

const isConflictOfUid = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === 409 && /precondition/i.test(error.message);

/** Fields of a status that disappear when they are not set. */
const clearable = [
  "reason",
  "message",
  "podIP",
  "initContainerStatuses",
  "ephemeralContainerStatuses",
] as const satisfies readonly (keyof core.PodStatus)[];

/** Whether the pod's status has all of ours. Conditions and fields of others may stand beside it. */
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
  // Conditions merge by type: what one no longer has must be named to go.
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
