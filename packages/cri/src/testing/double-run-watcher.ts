import { setTimeout as sleep } from "node:timers/promises";
import { type RuntimeAddress, runningContainers, runningTwice } from "./running-containers.ts";

/** Looks at runtimes again and again. */
export interface DoubleRunWatcher {
  /** How often it could look. */
  readonly looks: number;
  /** Every container seen running twice at once. */
  readonly seen: ReadonlySet<string>;
  /** Every one seen since the last call, which {@link DoubleRunWatcher.seen} then no longer has. */
  takeSeen(): readonly string[];
  stop(): Promise<void>;
}

/** Watches for containers that run twice, while daemons come and go. A runtime that does not answer is asked again. */
export function watchForDoubleRuns(runtimes: readonly RuntimeAddress[], intervalMs = 250): DoubleRunWatcher {
  const seen = new Set<string>();
  const end = new AbortController();
  let looks = 0;
  const watch = async (): Promise<void> => {
    while (!end.signal.aborted) {
      for (const runtime of runtimes) {
        try {
          for (const twice of runningTwice(await runningContainers(runtime))) seen.add(twice);
          looks++;
        } catch {
          // The runtime is the one that was killed.
        }
      }
      await sleep(intervalMs, undefined, { signal: end.signal }).catch(() => undefined);
    }
  };
  const watching = watch();
  return {
    get looks() {
      return looks;
    },
    seen,
    takeSeen() {
      const all = [...seen].map((twice) => `runs at the same time: ${twice}`);
      seen.clear();
      return all;
    },
    async stop() {
      end.abort();
      await watching;
    },
  };
}
