/**
 * Runs jobs, at most `most` at once, the others in the order in which they came. One whose signal aborts leaves the queue and rejects with
 * the signal's reason; a job under way is not interrupted.
 */
export function limiter(most: number): <T>(job: () => Promise<T>, signal?: AbortSignal) => Promise<T> {
  let free = most;
  const waiting: (() => void)[] = [];

  const place = (signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      const onPlace = () => {
        signal?.removeEventListener("abort", onAbort);
        resolve();
      };
      const onAbort = () => {
        waiting.splice(waiting.indexOf(onPlace), 1);
        reject(signal?.reason);
      };
      waiting.push(onPlace);
      signal?.addEventListener("abort", onAbort, { once: true });
    });

  return async (job, signal) => {
    signal?.throwIfAborted();
    if (free > 0) free -= 1;
    else await place(signal);
    try {
      return await job();
    } finally {
      // A place goes to who waits longest, never to one who comes just now.
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}
