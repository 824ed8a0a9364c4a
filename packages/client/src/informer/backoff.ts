/** Delays that double from `initialMs` to `maxMs`; jitter makes each up to twice as long. */
export interface Backoff {
  /** The next delay in milliseconds. */
  next(): number;
  reset(): void;
}

/** Creates a backoff. @param options `random` returns numbers in [0, 1) */
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
