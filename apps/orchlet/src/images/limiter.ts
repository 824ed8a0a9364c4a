/** Runs jobs, at most `most` at once, the others in the order in which they came. */
export function limiter(most: number): <T>(job: () => Promise<T>) => Promise<T> {
  let free = most;
  const waiting: (() => void)[] = [];
  return async (job) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
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
