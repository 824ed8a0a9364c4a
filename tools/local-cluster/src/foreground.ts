import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "@orchernetes/kernel";
import type { Cluster } from "./cluster.ts";
import { logTail } from "./processes.ts";

/**
 * Watches the daemons until the signal aborts. One that dies is named with the end of its log, and `restart` is called.
 */
export async function watchDaemons(
  cluster: Cluster,
  options: {
    readonly signal: AbortSignal;
    readonly write: (text: string) => void;
    readonly restart: () => Promise<void>;
  },
): Promise<void> {
  const { signal, write } = options;
  while (!signal.aborted) {
    await sleep(500, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    const dead = cluster.dead();
    if (dead.length === 0) continue;
    for (const name of dead)
      write(`\n${name} died. The end of ${cluster.files.logFile(name)}:\n${logTail(cluster.files.logFile(name))}\n\n`);
    await options.restart().catch((error: unknown) => write(`${messageOf(error)}\n`));
    // A delay, so that a daemon that exits at once is not restarted in a tight loop.
    await sleep(2000, undefined, { signal }).catch(() => undefined);
  }
}
