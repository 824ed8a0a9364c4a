/** First and maximum delay of a back-off, in milliseconds. */
export interface BackoffPolicy {
  readonly initialMs: number;
  readonly maxMs: number;
}

/** The state of a back-off after repeated failures. */
export interface BackoffEntry {
  readonly delayMs: number;
  /** Time of the last attempt, in milliseconds: how long it lasted decides whether the back-off is reset. */
  readonly updatedMs: number;
}

/** Milliseconds from `nowMs` until another attempt may follow a failure at `failedMs`; 0 if it may follow now. Pure. */
export function backoffRemainingMs(
  entry: BackoffEntry | undefined,
  failedMs: number,
  nowMs: number,
  policy: BackoffPolicy,
): number {
  if (entry === undefined || isExpired(entry, failedMs, policy)) return 0;
  // A failure in the future happened before the wall clock was set back. It must not extend the delay.
  return Math.min(entry.delayMs, Math.max(0, failedMs + entry.delayMs - nowMs));
}

/** The entry after another attempt at `nowMs` that follows a failure at `failedMs`; its delay is doubled. Pure. */
export function nextBackoff(
  entry: BackoffEntry | undefined,
  failedMs: number,
  nowMs: number,
  policy: BackoffPolicy,
): BackoffEntry {
  const delayMs =
    entry === undefined || isExpired(entry, failedMs, policy)
      ? policy.initialMs
      : Math.min(entry.delayMs * 2, policy.maxMs);
  return { delayMs, updatedMs: nowMs };
}

/** An attempt that fails after more than twice the maximum delay resets the back-off; the wait before it does not count. */
const isExpired = (entry: BackoffEntry, atMs: number, { maxMs }: BackoffPolicy): boolean =>
  atMs - entry.updatedMs > 2 * maxMs;

/**
 * Back-offs by key: delays double with each failure from `initialMs` to `maxMs`. A key without failures for twice
 * `maxMs` starts with `initialMs` again. The caller passes all times, so it chooses the clock.
 */
export class Backoff {
  readonly #entries = new Map<string, BackoffEntry>();
  readonly #policy: BackoffPolicy;

  constructor(initialMs: number, maxMs: number) {
    this.#policy = { initialMs, maxMs };
  }

  /**
   * Milliseconds from `nowMs` until the key may be tried again after a failure at `failedMs`; 0 if it may be tried now.
   */
  remaining(key: string, failedMs: number, nowMs: number): number {
    return backoffRemainingMs(this.#entries.get(key), failedMs, nowMs, this.#policy);
  }

  /** The current delay of the key in milliseconds; 0 if it has none. */
  delay(key: string): number {
    return this.#entries.get(key)?.delayMs ?? 0;
  }

  /** Records a failure at `failedMs`, which doubles the delay. */
  next(key: string, failedMs: number): void {
    this.#entries.set(key, nextBackoff(this.#entries.get(key), failedMs, failedMs, this.#policy));
  }

  /** Drops all keys that begin with `prefix`. */
  forget(prefix: string): void {
    for (const key of this.#entries.keys()) if (key.startsWith(prefix)) this.#entries.delete(key);
  }
}
