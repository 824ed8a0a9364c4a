import type { PodIdentity } from "../types/pod-identity.ts";
import type { PodOutlines } from "./pod-outlines.ts";
import type { RuntimeReader } from "./runtime-reader.ts";

/**
 * Lists the runtime's sandboxes and containers periodically, and reports every pod that has some (upstream: PLEG). Resolves when the
 * signal aborts.
 *
 * @param options.onPod called with a pod, and whether it has changed since the last list; in the first list, all pods have
 *   changed
 * @param options.onRelist called after each successful list
 */
export async function relistPods(
  reader: RuntimeReader,
  options: {
    /** Read before each wait. */
    readonly periodMs: () => number;
    readonly sleep: (ms: number) => Promise<void>;
    readonly signal: AbortSignal;
    readonly onPod: (pod: PodIdentity, changed: boolean) => void;
    readonly onRelist: () => void;
    readonly onError: (error: unknown) => void;
  },
): Promise<void> {
  let known: PodOutlines = new Map();
  while (!options.signal.aborted) {
    try {
      const outline = await reader.outline();
      for (const pod of outline.values())
        options.onPod(pod, outline !== known && known.get(pod.uid)?.fingerprint !== pod.fingerprint);
      known = outline;
      options.onRelist();
    } catch (error) {
      if (options.signal.aborted) return;
      options.onError(error);
    }
    await options.sleep(options.periodMs());
  }
}
