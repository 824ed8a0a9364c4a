/**
 * A map whose entries end after a time, with a bound on their number; the oldest go first. Lookups for the same key share one
 * load. A failed load is not kept.
 */
export class TtlCache<V> {
  readonly #entries = new Map<string, { readonly value: Promise<V>; expiresMs: number }>();
  readonly #limit: number;
  readonly #now: () => number;

  constructor(options: { readonly limit: number; readonly now: () => number }) {
    this.#limit = options.limit;
    this.#now = options.now;
  }

  /** The value of a key, loaded when absent or ended; `ttlMs` is asked with the loaded value. */
  get(key: string, load: () => Promise<V>, ttlMs: (value: V) => number): Promise<V> {
    const known = this.#entries.get(key);
    if (known !== undefined && this.#now() < known.expiresMs) return known.value;
    this.#entries.delete(key);
    const entry = { value: load(), expiresMs: Number.POSITIVE_INFINITY };
    this.#entries.set(key, entry);
    entry.value.then(
      (value) => {
        entry.expiresMs = this.#now() + ttlMs(value);
      },
      () => {
        if (this.#entries.get(key) === entry) this.#entries.delete(key);
      },
    );
    if (this.#entries.size > this.#limit) {
      const oldest = this.#entries.keys().next();
      if (!oldest.done) this.#entries.delete(oldest.value);
    }
    return entry.value;
  }
}
