import { type Clock, systemClock } from "@orchernetes/kernel";

/** Decides how long a request waits before it may be sent. */
export interface RateLimiter {
  /** Takes one token. Returns undefined when one is available, otherwise a promise that resolves when one is. */
  take(signal?: AbortSignal): Promise<void> | undefined;
  /** Takes one token if one is available now; false: the request must not be sent. */
  tryTake(): boolean;
}

/**
 * Creates a token bucket: `qps` tokens per second, of which at most `burst` accumulate. Waiting callers are served in
 * order, because each reserves the next free token. An aborted wait does not return its token, as later callers have
 * computed their delays from it.
 */
export function createTokenBucket(options: {
  readonly qps: number;
  readonly burst: number;
  readonly clock?: Clock;
}): RateLimiter {
  const { qps, burst, clock = systemClock } = options;
  let tokens = burst;
  let refilledAt = clock.monotonicMs();
  const refill = (): void => {
    const now = clock.monotonicMs();
    tokens = Math.min(burst, tokens + (Math.max(0, now - refilledAt) * qps) / 1000);
    refilledAt = now;
  };
  return {
    tryTake() {
      refill();
      if (tokens < 1) return false;
      tokens -= 1;
      return true;
    },
    take(signal) {
      refill();
      // Negative tokens are reservations: the number says how long the queue is.
      tokens -= 1;
      return tokens >= 0 ? undefined : clock.sleep(Math.ceil((-tokens * 1000) / qps), signal);
    },
  };
}

/** A limiter without a limit. */
export const unlimited: RateLimiter = { take: () => undefined, tryTake: () => true };
