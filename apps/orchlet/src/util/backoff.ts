/** First and longest delay of a back-off, in milliseconds. */
export interface BackoffPolicy {
  readonly initialMs: number;
  readonly maxMs: number;
}

/** How long to wait after repeated failures of one thing. */
export interface BackoffEntry {
  readonly delayMs: number;
  /** Time of the failure that the delay began with. */
  readonly updatedMs: number;
}

/** Milliseconds from `nowMs` until another attempt may follow a failure at `failedMs`; 0 when it may follow now. Pure. */
export function backoffRemainingMs(
  entry: BackoffEntry | undefined,
  failedMs: number,
  nowMs: number,
  policy: BackoffPolicy,
): number {
  if (entry === undefined || isExpired(entry, failedMs, policy)) return 0;
  // A failure in the future is one from before the time of day was set back.
  return Math.min(entry.delayMs, Math.max(0, failedMs + entry.delayMs - nowMs));
}

/** The entry after another attempt that follows a failure at `failedMs`: the next attempt has to wait longer. Pure. */
export function nextBackoff(entry: BackoffEntry | undefined, failedMs: number, policy: BackoffPolicy): BackoffEntry {
  const delayMs =
    entry === undefined || isExpired(entry, failedMs, policy)
      ? policy.initialMs
      : Math.min(entry.delayMs * 2, policy.maxMs);
  return { delayMs, updatedMs: failedMs };
}

/** A thing that did not fail for twice the longest delay starts with the first delay again. */
const isExpired = (entry: BackoffEntry, atMs: number, { maxMs }: BackoffPolicy): boolean =>
  atMs - entry.updatedMs > 2 * maxMs;

/**
 * Delays that double with each failure of a key, from `initialMs` to `maxMs`. A key without failures for twice `maxMs` starts
 * with `initialMs` again. Times are the caller's, so that it can be asked about any instant.
 */
export class Backoff {
  readonly #entries = new Map<string, BackoffEntry>();
  readonly #policy: BackoffPolicy;

  constructor(initialMs: number, maxMs: number) {
    this.#policy = { initialMs, maxMs };
  }

  /** Milliseconds from `nowMs` until the key may be tried again after a failure at `failedMs`; 0 when it may be now. */
  remaining(key: string, failedMs: number, nowMs: number): number {
    return backoffRemainingMs(this.#entries.get(key), failedMs, nowMs, this.#policy);
  }

  /** The delay that counts for the key now; 0 when there is none. */
  delay(key: string): number {
    return this.#entries.get(key)?.delayMs ?? 0;
  }

  /** Records another attempt after a failure at `failedMs`: the next one has to wait longer. */
  next(key: string, failedMs: number): void {
    this.#entries.set(key, nextBackoff(this.#entries.get(key), failedMs, this.#policy));
  }

  /** Forgets every key that begins with `prefix`. */
  forget(prefix: string): void {
    for (const key of this.#entries.keys()) if (key.startsWith(prefix)) this.#entries.delete(key);
  }
}
