/** Where a job waits for its turn: jobs of `first` are served before all others. */
export type Lane = "first" | "normal";

/**
 * Runs a job when its turn comes.
 *
 * @throws the signal's reason if it aborts while the job waits; a running job is not interrupted
 */
export type Limiter = <T>(job: () => Promise<T>, signal?: AbortSignal, lane?: Lane) => Promise<T>;

/**
 * Creates a function that runs at most `most` jobs concurrently and queues the others, in order of arrival within their lane.
 */
export function limiter(most: number): Limiter {
  let free = most;
  const waiting: Readonly<Record<Lane, (() => void)[]>> = { first: [], normal: [] };

  const waitForSlot = (signal: AbortSignal | undefined, lane: Lane): Promise<void> =>
    new Promise((resolve, reject) => {
      const queue = waiting[lane];
      const onSlot = () => {
        signal?.removeEventListener("abort", onAbort);
        resolve();
      };
      const onAbort = () => {
        queue.splice(queue.indexOf(onSlot), 1);
        reject(signal?.reason);
      };
      queue.push(onSlot);
      signal?.addEventListener("abort", onAbort, { once: true });
    });

  return async (job, signal, lane = "normal") => {
    signal?.throwIfAborted();
    if (free > 0) free -= 1;
    else await waitForSlot(signal, lane);
    try {
      return await job();
    } finally {
      // Hand the slot to the longest waiting job, never to a new one.
      const next = waiting.first.shift() ?? waiting.normal.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}
