import type { Clock } from "@orchernetes/kernel";

/**
 * A token bucket: on average `qps` tokens a second, and up to `burst` at once after an idle time. Unlike that of `packages/client`, it does
 * not wait: a sink that waits would have to keep its events elsewhere.
 */
export class TokenBucket {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #qps: number;
  readonly #burst: number;
  #tokens: number;
  #atMs: number;

  constructor(clock: Pick<Clock, "monotonicMs">, { qps, burst }: { readonly qps: number; readonly burst: number }) {
    this.#clock = clock;
    this.#qps = qps;
    this.#burst = burst;
    this.#tokens = burst;
    this.#atMs = clock.monotonicMs();
  }

  /** Takes a token and returns 0; without one, returns the time in milliseconds until there is one. */
  take(): number {
    const nowMs = this.#clock.monotonicMs();
    this.#tokens = Math.min(this.#burst, this.#tokens + ((nowMs - this.#atMs) / 1000) * this.#qps);
    this.#atMs = nowMs;
    if (this.#tokens < 1) return Math.max(1, Math.ceil(((1 - this.#tokens) / this.#qps) * 1000));
    this.#tokens -= 1;
    return 0;
  }
}
