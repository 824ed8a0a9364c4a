import { setTimeout as sleep } from "node:timers/promises";
import type { ClusterNode } from "@orchernetes/testkit";
import { runningContainers, runningTwice } from "./containers.ts";

/** Looks at a node's runtime again and again. */
export interface DoubleRunWatcher {
  /** How often it could look. */
  readonly looks: number;
  /** Every container seen running twice at once. */
  readonly seen: ReadonlySet<string>;
  stop(): Promise<void>;
}

/** Watches for containers that run twice, while daemons come and go. A runtime that does not answer is asked again. */
export function watchForDoubleRuns(nodes: readonly ClusterNode[], intervalMs = 250): DoubleRunWatcher {
  const seen = new Set<string>();
  const end = new AbortController();
  let looks = 0;
  const watch = async (): Promise<void> => {
    while (!end.signal.aborted) {
      for (const node of nodes) {
        try {
          for (const twice of runningTwice(await runningContainers(node))) seen.add(twice);
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
    async stop() {
      end.abort();
      await watching;
    },
  };
}
