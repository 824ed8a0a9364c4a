import type { ListMeta } from "@orchernetes/apimachinery";
import type { Clock, Logger } from "@orchernetes/kernel";
import type { Requester } from "../transport/requester.ts";
import { Relist } from "./reflector.ts";

/** Time for which a watch is given to show that it is new enough, in milliseconds. Then the resource is listed again. */
const PATIENCE_MS = 1000;
/** Pause after a request failed, in milliseconds. */
const RETRY_MS = 500;

/** How new a cache is, and who waits for it to be newer. */
export class Progress {
  /** The version that the cache has; "" before the first list. */
  seen = "";
  readonly relist = new Relist();
  readonly #waiting = new Set<() => void>();

  /** Must be called whenever the cache has a newer version. */
  reach(resourceVersion: string): void {
    this.seen = resourceVersion;
    for (const callback of this.#waiting) callback();
  }

  /** Calls back after each call of {@link Progress.reach}. Returns a function that ends that. */
  onReach(callback: () => void): () => void {
    this.#waiting.add(callback);
    return () => this.#waiting.delete(callback);
  }
}

/** The cache that is to catch up. */
export interface CatchUpOptions {
  readonly client: Requester;
  /** Of the collection. */
  readonly path: string;
  readonly progress: Progress;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Resolves when a cache has every change that was made before the call. The store's version is read without any cache. A
 * watch of a resource that rarely changes lags behind it until the next bookmark, which may take a minute, so the resource
 * is listed again then. Versions of one resource are compared as numbers, as servers do.
 *
 * @throws the signal's reason
 */
export async function catchUp(options: CatchUpOptions, signal: AbortSignal): Promise<void> {
  const { progress, clock } = options;
  const target = Number(await latestVersion(options, signal));
  const reached = (): boolean => progress.seen !== "" && Number(progress.seen) >= target;
  if (reached()) return;
  const done = Promise.withResolvers<void>();
  const end = progress.onReach(() => {
    if (reached()) done.resolve();
  });
  const abort = (): void => done.reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  const timer = clock.setTimeout(() => progress.relist.request(), PATIENCE_MS);
  try {
    if (signal.aborted) throw signal.reason;
    await done.promise;
  } finally {
    timer.clear();
    end();
    signal.removeEventListener("abort", abort);
  }
}

/** The version of the resource in the store. Retried until the signal aborts. */
async function latestVersion(
  { client, path, clock, logger }: CatchUpOptions,
  signal: AbortSignal,
): Promise<string | undefined> {
  for (;;) {
    try {
      const list = (await client.request({ method: "GET", path, query: { limit: 1 }, signal })) as {
        readonly metadata?: ListMeta;
      };
      return list.metadata?.resourceVersion;
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      logger.warn("Failed to read the version of a resource", { path, error: String(error), retryMs: RETRY_MS });
      await clock.sleep(RETRY_MS, signal);
    }
  }
}
