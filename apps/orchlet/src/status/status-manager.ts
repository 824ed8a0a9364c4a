import { core } from "@orchernetes/api";
import { equalJson, isNotFound, type Stored } from "@orchernetes/apimachinery";
import type { Client } from "@orchernetes/client";
import type { Logger } from "@orchernetes/component";

/** Writes the statuses of pods to the API server: only what changed, per pod in order, the newest first when it lags. */
export interface StatusManager {
  /** Has `status` written for the pod; replaces one that still waits. */
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
      if (entry.written === status || equalJson(target.status ?? {}, merged(target, status))) {
        entry.written = status;
        if (entry.status === status) return;
        continue;
      }
      try {
        await patch(client, target, status, signal);
        entry.written = status;
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
        const added: Entry = { pod, status, written: undefined, writing: undefined };
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

/** The pod's status with ours laid over it: what the patch makes of it. */
function merged(target: core.Pod, status: core.PodStatus): object {
  return { ...target.status, ...status };
}

/** Fields of a status that disappear when they are not set. */
const clearable = [
  "reason",
  "message",
  "podIP",
  "initContainerStatuses",
  "ephemeralContainerStatuses",
] as const satisfies readonly (keyof core.PodStatus)[];

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
