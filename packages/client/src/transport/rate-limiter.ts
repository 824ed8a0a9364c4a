import { type Clock, systemClock } from "@orchernetes/kernel";

/** Decides how long a request waits before it may be sent. */
export interface RateLimiter {
  /** Takes one token. Undefined when it is there at once; otherwise a promise that resolves when it is. */
  take(signal?: AbortSignal): Promise<void> | undefined;
}

/**
 * A token bucket: `qps` tokens per second, at most `burst` saved up. Waiters are served in the order they asked, since
 * each reserves the next free token. An aborted wait gives nothing back: the request it was for was counted.
 */
export function createTokenBucket(options: {
  readonly qps: number;
  readonly burst: number;
  readonly clock?: Clock;
}): RateLimiter {
  const { qps, burst, clock = systemClock } = options;
  let tokens = burst;
  let refilledAt = clock.monotonicMs();
  return {
    take(signal) {
      const now = clock.monotonicMs();
      tokens = Math.min(burst, tokens + (Math.max(0, now - refilledAt) * qps) / 1000);
      refilledAt = now;
      tokens -= 1;
      return tokens >= 0 ? undefined : clock.sleep(Math.ceil((-tokens * 1000) / qps), signal);
    },
  };
}

/** Never makes anyone wait. */
export const unlimited: RateLimiter = { take: () => undefined };
