/**
 * Delays that double from `initialMs` to `maxMs`. Jitter makes each up to twice as long: after an outage all clients
 * of a server start together, and equal delays would keep them together.
 */
export interface Backoff {
  /** The next delay in milliseconds. */
  next(): number;
  /** The next delay is the first one again; call it after a success. */
  reset(): void;
}

/**
 * Creates a backoff.
 *
 * @param options delays in milliseconds; `random` returns numbers in [0, 1) @default Math.random
 */
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
