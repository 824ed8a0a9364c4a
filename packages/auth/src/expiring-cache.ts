import type { Clock } from "@orchernetes/kernel";
import { LRUCache } from "lru-cache";

/** Options of {@link ExpiringCache}. */
export interface ExpiringCacheOptions<V> {
  /** Maximum number of entries; beyond it the least recently used one is removed. */
  readonly limit: number;
  /** Time in milliseconds for which a value is cached, from the start of its load; if it is 0 or less, the value is not cached. */
  readonly ttlMs: (value: V) => number;
  readonly clock: Pick<Clock, "monotonicMs">;
}

/**
 * Milliseconds that are subtracted from the start of a load: the library still returns a value whose age is exactly its lifetime, and it
 * takes a start at 0 for a missing one.
 */
const EARLIER_MS = 1e-3;

/**
 * Caches the results of remote or expensive checks for a time. Concurrent look-ups of the same key share one load. A failed load is not
 * cached.
 *
 * The age of a value counts from the start of its load, so that a permission that is revoked during the check is not cached for longer
 * than one that is revoked just after the check.
 */
export class ExpiringCache<V extends NonNullable<unknown>> {
  readonly #entries: LRUCache<string, V | Promise<V>>;
  readonly #options: ExpiringCacheOptions<V>;

  constructor(options: ExpiringCacheOptions<V>) {
    this.#options = options;
    const { limit, clock } = options;
    // Loads in flight have no lifetime and do not expire. With resolution 0 the library starts no timer to cache the time.
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
