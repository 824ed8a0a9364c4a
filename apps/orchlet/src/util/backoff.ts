/** How long to wait after repeated failures of one thing. */
interface Entry {
  readonly delayMs: number;
  readonly updatedMs: number;
}

/**
 * Delays that double with each failure of a key, from `initialMs` to `maxMs`. A key that was quiet for twice `maxMs` starts
 * anew. Times are the caller's, so that it can be asked about any instant.
 */
export class Backoff {
  readonly #entries = new Map<string, Entry>();
  readonly #initialMs: number;
  readonly #maxMs: number;

  constructor(initialMs: number, maxMs: number) {
    this.#initialMs = initialMs;
    this.#maxMs = maxMs;
  }

  /** Milliseconds from `nowMs` until the key may be tried again after a failure at `failedMs`; 0 when it may be now. */
  remaining(key: string, failedMs: number, nowMs: number): number {
    const entry = this.#entries.get(key);
    if (entry === undefined || this.#expired(entry, failedMs)) return 0;
    // A failure that is yet to come is one from before the time of day was set back.
    return Math.min(entry.delayMs, Math.max(0, failedMs + entry.delayMs - nowMs));
  }

  /** The delay that counts for the key now; 0 when there is none. */
  delay(key: string): number {
    return this.#entries.get(key)?.delayMs ?? 0;
  }

  /** Notes another attempt after a failure at `failedMs`: the next one has to wait longer. */
  next(key: string, failedMs: number): void {
    const entry = this.#entries.get(key);
    const delayMs =
      entry === undefined || this.#expired(entry, failedMs)
        ? this.#initialMs
        : Math.min(entry.delayMs * 2, this.#maxMs);
    this.#entries.set(key, { delayMs, updatedMs: failedMs });
  }

  /** Forgets every key that begins with `prefix`. */
  forget(prefix: string): void {
    for (const key of this.#entries.keys()) if (key.startsWith(prefix)) this.#entries.delete(key);
  }

  #expired(entry: Entry, atMs: number): boolean {
    return atMs - entry.updatedMs > 2 * this.#maxMs;
  }
}
