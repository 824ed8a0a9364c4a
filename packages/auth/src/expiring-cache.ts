import type { Clock } from "@orchernetes/kernel";
import { LRUCache } from "lru-cache";

/** Options of {@link ExpiringCache}. */
export interface ExpiringCacheOptions<V> {
  /** Maximum number of entries; beyond it the least recently used one is removed. */
  readonly limit: number;
  /** How long a value is kept, in milliseconds, counted from when its load began; 0 or less: not at all. */
  readonly ttlMs: (value: V) => number;
  readonly clock: Pick<Clock, "monotonicMs">;
}

/**
 * A load counts as begun this long before it did: the library still gives what is exactly as old as its time, and takes a beginning
 * at 0 for none.
 */
const EARLIER_MS = 1e-3;

/**
 * Caches results of remote or expensive checks for a time. Concurrent look-ups of the same key share one load. A failed load is not
 * kept.
 *
 * Values age from the beginning of their load: a permission that is revoked while the check runs counts no longer than one that is
 * revoked just after it.
 */
export class ExpiringCache<V extends NonNullable<unknown>> {
  readonly #entries: LRUCache<string, V | Promise<V>>;
  readonly #options: ExpiringCacheOptions<V>;

  constructor(options: ExpiringCacheOptions<V>) {
    this.#options = options;
    const { limit, clock } = options;
    // A load in flight has no time, and does not expire. Without a resolution no timer keeps the time between look-ups.
    this.#entries = new LRUCache({ max: limit, ttlResolution: 0, perf: { now: () => clock.monotonicMs() } });
  }

  /** The value of a key; at once if it is cached, otherwise when it is loaded. */
  get(key: string, load: () => V | Promise<V>): V | Promise<V> {
    const known = this.#entries.get(key);
    if (known !== undefined) return known;
    const start = this.#options.clock.monotonicMs() - EARLIER_MS;
    const value = (async () => load())();
    this.#entries.set(key, value);
    value.then(
      (loaded) => {
        if (this.#entries.peek(key) !== value) return;
        const ttl = this.#options.ttlMs(loaded);
        if (ttl > 0) this.#entries.set(key, loaded, { ttl, start });
        else this.#entries.delete(key);
      },
      () => {
        if (this.#entries.peek(key) === value) this.#entries.delete(key);
      },
    );
    return value;
  }
}
