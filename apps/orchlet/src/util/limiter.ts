/**
 * Creates a function that runs at most `most` jobs concurrently and queues the others in order of arrival. A queued job
 * whose signal aborts rejects with the signal's reason; a running job is not interrupted.
 */
export function limiter(most: number): <T>(job: () => Promise<T>, signal?: AbortSignal) => Promise<T> {
  let free = most;
  const waiting: (() => void)[] = [];

  const waitForSlot = (signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      const onSlot = () => {
        signal?.removeEventListener("abort", onAbort);
        resolve();
      };
      const onAbort = () => {
        waiting.splice(waiting.indexOf(onSlot), 1);
        reject(signal?.reason);
      };
      waiting.push(onSlot);
      signal?.addEventListener("abort", onAbort, { once: true });
    });

  return async (job, signal) => {
    signal?.throwIfAborted();
    if (free > 0) free -= 1;
    else await waitForSlot(signal);
    try {
      return await job();
    } finally {
      // Hand the slot to the longest waiting job, never to a new one.
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}
