import { type Clock, systemClock } from "@orchernetes/kernel";

/** Expectations that are unmet for this long (milliseconds) are ignored: an event must have been lost. */
const expireAfterMs = 5 * 60_000;

interface Entry {
  creations: number;
  readonly deletions: Set<string>;
  readonly setAtMs: number;
}

/**
 * The creations and deletions that a controller has requested and not yet seen in its caches. Until all of them have been
 * observed for a key, the caches are stale, and a decision based on them would create or delete too many objects.
 *
 * Creations are counted. Deletions are identified by uid, so that a deletion that is observed twice (as an update with a
 * deletionTimestamp, then as a deletion) counts once.
 */
export class Expectations {
  readonly #entries = new Map<string, Entry>();
  /** When the last write without a response failed, by key. */
  readonly #unknown = new Map<string, number>();
  readonly #clock: Clock;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  /** Must be called before the creations are requested: events may arrive before the responses. */
  expectCreations(key: string, count: number): void {
    this.#entries.set(key, { creations: count, deletions: new Set(), setAtMs: this.#clock.monotonicMs() });
  }

  /** Must be called before the deletions are requested, for the same reason. */
  expectDeletions(key: string, uids: readonly string[]): void {
    this.#entries.set(key, { creations: 0, deletions: new Set(uids), setAtMs: this.#clock.monotonicMs() });
  }

  /** Records `count` creations that were seen in the cache, or that will never be because the request failed. */
  creationObserved(key: string, count = 1): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined) entry.creations -= count;
  }

  /** Records a deletion that was seen in the cache, or that will never be because the request failed. */
  deletionObserved(key: string, uid: string): void {
    this.#entries.get(key)?.deletions.delete(uid);
  }

  /**
   * Records that a write failed and may have been carried out nevertheless, because the connection broke before the response. The
   * caches do not count as current for the key until {@link Expectations.outcomesKnown}.
   */
  outcomeUnknown(key: string): void {
    this.#unknown.set(key, this.#clock.monotonicMs());
  }

  /** Milliseconds since the last write of unknown outcome; undefined if there is none. */
  unknownForMs(key: string): number | undefined {
    const since = this.#unknown.get(key);
    return since === undefined ? undefined : this.#clock.monotonicMs() - since;
  }

  /** Records that the caches contain everything that the writes without a response made. */
  outcomesKnown(key: string): void {
    this.#unknown.delete(key);
  }

  /** Whether the caches are current for the key: its expectations are met or expired, or there are none. */
  satisfied(key: string): boolean {
    if (this.#unknown.has(key)) return false;
    const entry = this.#entries.get(key);
    if (entry === undefined) return true;
    if (entry.creations <= 0 && entry.deletions.size === 0) return true;
    return this.#clock.monotonicMs() - entry.setAtMs > expireAfterMs;
  }

  /** Milliseconds until unmet expectations expire; undefined when there are none. */
  expiresInMs(key: string): number | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || this.satisfied(key)) return undefined;
    return Math.max(1, expireAfterMs + 1 - (this.#clock.monotonicMs() - entry.setAtMs));
  }

  /** Drops the expectations of a key, when its object is deleted. */
  delete(key: string): void {
    this.#entries.delete(key);
    this.#unknown.delete(key);
  }
}
