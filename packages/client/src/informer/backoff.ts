/** Grows from `initialMs` to `maxMs` by doubling; each delay is jittered up to twice its size. */
export interface Backoff {
  /** The next delay in milliseconds. */
  next(): number;
  reset(): void;
}

export function createBackoff(options: {
  readonly initialMs: number;
  readonly maxMs: number;
  readonly random?: () => number;
}): Backoff {
  const { initialMs, maxMs, random = Math.random } = options;
  let current = initialMs;
  return {
    next() {
      const delay = current * (1 + random());
      current = Math.min(maxMs, current * 2);
      return Math.min(delay, maxMs);
    },
    reset() {
      current = initialMs;
    },
  };
}
