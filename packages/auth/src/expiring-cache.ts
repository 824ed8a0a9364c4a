import type { Clock } from "@orchernetes/kernel";

type Entry<V> =
  | { readonly type: "loading"; readonly value: Promise<V> }
  | { readonly type: "loaded"; readonly value: V; readonly expiresMs: number };

/** Options of {@link ExpiringCache}. */
export interface ExpiringCacheOptions<V> {
  /** Maximum number of entries; beyond it the least recently used one is removed. */
  readonly limit: number;
  /** How long a value is kept, in milliseconds, counted from when its load began; 0 or less: not at all. */
  readonly ttlMs: (value: V) => number;
  readonly clock: Pick<Clock, "monotonicMs">;
}

/**
 * Caches results of remote or expensive checks for a time. Concurrent look-ups of the same key share one load. A failed load is not
 * kept.
 *
 * Values age from the beginning of their load: a permission that is revoked while the check runs counts no longer than one that is
 * revoked just after it.
 */
export class ExpiringCache<V> {
  readonly #entries = new Map<string, Entry<V>>();
  readonly #options: ExpiringCacheOptions<V>;

  constructor(options: ExpiringCacheOptions<V>) {
    this.#options = options;
  }

  /** The value of a key; at once if it is cached, otherwise when it is loaded. */
  get(key: string, load: () => V | Promise<V>): V | Promise<V> {
    const { clock, limit } = this.#options;
    const known = this.#entries.get(key);
    this.#entries.delete(key);
    const startMs = clock.monotonicMs();
    if (known !== undefined && (known.type === "loading" || startMs < known.expiresMs)) {
      // Entries are in the order of their last use.
      this.#entries.set(key, known);
      return known.value;
    }
    const value = (async () => load())();
    const entry: Entry<V> = { type: "loading", value };
    this.#entries.set(key, entry);
    if (this.#entries.size > limit) {
      const oldest = this.#entries.keys().next();
      if (!oldest.done) this.#entries.delete(oldest.value);
    }
    value.then(
      (loaded) => this.#settle(key, entry, { value: loaded, startMs }),
      () => this.#forget(key, entry),
    );
    return value;
  }

  #settle(key: string, entry: Entry<V>, { value, startMs }: { readonly value: V; readonly startMs: number }): void {
    const ttlMs = this.#options.ttlMs(value);
    if (ttlMs <= 0) this.#forget(key, entry);
    else if (this.#entries.get(key) === entry)
      this.#entries.set(key, { type: "loaded", value, expiresMs: startMs + ttlMs });
  }

  #forget(key: string, entry: Entry<V>): void {
    if (this.#entries.get(key) === entry) this.#entries.delete(key);
  }
}
