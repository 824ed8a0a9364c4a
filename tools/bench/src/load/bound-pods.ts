import type { Target } from "./http-connection.ts";
import { openWatch } from "./watch-stream.ts";

/** Counts the pods of a namespace that get a node. */
export interface BoundPods {
  /** Resolves when this many pods have a node, or after the time. @returns how many have one */
  until(count: number, timeoutMs: number): Promise<number>;
  /** When the last one was observed, by `performance.now()`. */
  readonly lastMs: number;
  close(): void;
}

/**
 * Watches the pods of a collection whose names begin with a prefix and end with a number.
 *
 * @param path of the collection
 * @param resourceVersion the version after which changes count
 */
export async function followBoundPods(
  target: Target,
  path: string,
  prefix: string,
  resourceVersion: string,
): Promise<BoundPods> {
  const bound = new Set<string>();
  let lastMs = 0;
  let wanted = Number.POSITIVE_INFINITY;
  let complete: () => void = () => undefined;
  let text = "";
  const ofPod = new RegExp(`"name":"(${prefix}-\\d+)"`);
  const socket = await openWatch(target, `${path}?watch=1&resourceVersion=${resourceVersion}`, (data) => {
    text += data.toString("latin1");
    const lines = text.split("\n");
    text = lines.pop() ?? "";
    for (const line of lines) {
      if (!line.includes('"nodeName":"')) continue;
      const name = ofPod.exec(line)?.[1];
      if (name === undefined || bound.has(name)) continue;
      bound.add(name);
      lastMs = performance.now();
      if (bound.size >= wanted) complete();
    }
  });
  return {
    get lastMs() {
      return lastMs;
    },
    async until(count, timeoutMs) {
      if (bound.size < count)
        await new Promise<void>((resolve) => {
          wanted = count;
          const timer = setTimeout(resolve, timeoutMs);
          complete = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      return bound.size;
    },
    close: () => socket.destroy(),
  };
}
