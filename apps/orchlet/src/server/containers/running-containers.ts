import type { Clock } from "@orchernetes/kernel";
import type { RuntimeReader } from "../../runtime/runtime-reader.ts";
import type { PodIdentity } from "../../types/pod-identity.ts";

/**
 * Time for which a result is reused. A client that follows a log learns of the container's end later by at most this
 * time.
 */
const cacheMs = 500;

/** Whether a container runs. @throws CriError */
export type IsRunning = (pod: PodIdentity, containerId: string) => Promise<boolean>;

/**
 * Creates a check whose callers share reads of the runtime: clients that follow logs of one pod cause one read per
 * period, regardless of their number.
 */
export function createIsRunning(reader: Pick<RuntimeReader, "read">, clock: Pick<Clock, "monotonicMs">): IsRunning {
  const reads = new Map<string, { readonly atMs: number; readonly running: Promise<ReadonlySet<string>> }>();

  const readRunning = async (pod: PodIdentity): Promise<ReadonlySet<string>> => {
    const { containers } = await reader.read(pod);
    return new Set(containers.filter(({ phase }) => phase === "running").map(({ id }) => id));
  };

  return async (pod, containerId) => {
    const nowMs = clock.monotonicMs();
    for (const [uid, { atMs }] of reads) if (nowMs - atMs >= cacheMs) reads.delete(uid);
    const recent = reads.get(pod.uid);
    if (recent !== undefined) return (await recent.running).has(containerId);
    const running = readRunning(pod);
    reads.set(pod.uid, { atMs: nowMs, running });
    return (await running).has(containerId);
  };
}
