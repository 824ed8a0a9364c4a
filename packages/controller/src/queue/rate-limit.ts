import { type Clock, systemClock } from "@orchernetes/kernel";

/** Decides how long an item waits before it is worked on again. */
export interface ItemRateLimiter<K> {
  /** Counts a failure and returns the delay in milliseconds. */
  when(item: K): number;
  /** Resets the failures of an item. */
  forget(item: K): void;
  /** The failures of an item since it was last forgotten. */
  retries(item: K): number;
}

/** The limits of {@link createItemRateLimiter}; the defaults are those of client-go's controller rate limiter. */
export interface ItemRateLimiterOptions {
  /** Delay after the first failure of an item, in milliseconds; it doubles with every failure. @default 5 */
  readonly baseMs?: number;
  /** Longest delay of an item in milliseconds. @default 1000000 (1000 s) */
  readonly maxMs?: number;
  /** Requeues per second, for all items together. @default 10 */
  readonly qps?: number;
  /** Requeues that may happen at once above `qps`. @default 100 */
  readonly burst?: number;
  readonly clock?: Clock;
}

/** The usual limiter of controllers: exponential per item, with a token bucket over all items; the longer delay applies. */
export function createItemRateLimiter<K>(options: ItemRateLimiterOptions = {}): ItemRateLimiter<K> {
  const { baseMs = 5, maxMs = 1_000_000, qps = 10, burst = 100, clock = systemClock } = options;
  const failures = new Map<K, number>();
  let tokens = burst;
  let refilledAt = clock.monotonicMs();
  return {
    when(item) {
      const count = failures.get(item) ?? 0;
      failures.set(item, count + 1);
      const own = Math.min(maxMs, baseMs * 2 ** Math.min(count, 60));
      const now = clock.monotonicMs();
      tokens = Math.min(burst, tokens + ((now - refilledAt) * qps) / 1000) - 1;
      refilledAt = now;
      return Math.max(own, tokens >= 0 ? 0 : (-tokens * 1000) / qps);
    },
    forget: (item) => void failures.delete(item),
    retries: (item) => failures.get(item) ?? 0,
  };
}
