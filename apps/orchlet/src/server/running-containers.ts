import type { Clock } from "@orchernetes/kernel";
import type { RuntimeReader } from "../runtime/runtime-reader.ts";
import type { PodIdentity } from "../types/pod-identity.ts";

/** An answer is used again for so long: whoever follows a log learns of its end this much later at most. */
const keepMs = 500;

/** Tells whether a container runs. */
export type IsRunning = (pod: PodIdentity, containerId: string) => Promise<boolean>;

/**
 * Looks for the many who follow logs: those who ask about containers of one pod share a look at the runtime, so that their number costs
 * the runtime nothing.
 */
export function createIsRunning(reader: Pick<RuntimeReader, "read">, clock: Pick<Clock, "monotonicMs">): IsRunning {
  const looks = new Map<string, { readonly atMs: number; readonly running: Promise<ReadonlySet<string>> }>();

  const look = async (pod: PodIdentity): Promise<ReadonlySet<string>> => {
    const { containers } = await reader.read(pod);
    return new Set(containers.filter(({ phase }) => phase === "running").map(({ id }) => id));
  };

  return async (pod, containerId) => {
    const nowMs = clock.monotonicMs();
    for (const [uid, { atMs }] of looks) if (nowMs - atMs >= keepMs) looks.delete(uid);
    const recent = looks.get(pod.uid);
    if (recent !== undefined) return (await recent.running).has(containerId);
    const running = look(pod);
    looks.set(pod.uid, { atMs: nowMs, running });
    return (await running).has(containerId);
  };
}
