import type { Clock } from "@orchernetes/kernel";

/** Bounds of the back-off, as in the original. */
const firstMs = 1000;
const maxMs = 15 * 60_000;

/** The back-off of a key. `sinceMs` is monotonic, so setting the wall clock does not affect it. */
interface Entry {
  readonly delayMs: number;
  readonly sinceMs: number;
}

/**
 * Back-off before a failed pod is replaced: 1 s after the first failure, doubling up to 15 minutes. Reset after 30
 * minutes without a failure.
 */
export class FailureBackoff {
  readonly #entries = new Map<string, Entry>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Records a failure, which doubles the delay. */
  next(key: string): void {
    const known = this.#current(key);
    const delayMs = known === undefined ? firstMs : Math.min(maxMs, known.delayMs * 2);
    this.#entries.set(key, { delayMs, sinceMs: this.#clock.monotonicMs() });
  }

  /** Remaining delay in milliseconds; 0 or less when it is over. */
  leftMs(key: string): number {
    const known = this.#current(key);
    return known === undefined ? 0 : known.sinceMs + known.delayMs - this.#clock.monotonicMs();
  }

  /** Removes expired entries. */
  collect(): void {
    for (const key of this.#entries.keys()) if (this.#current(key) === undefined) this.#entries.delete(key);
  }

  get size(): number {
    return this.#entries.size;
  }

  #current(key: string): Entry | undefined {
    const known = this.#entries.get(key);
    return known === undefined || this.#clock.monotonicMs() - known.sinceMs > 2 * maxMs ? undefined : known;
  }
}
