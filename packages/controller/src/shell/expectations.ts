import { type Clock, systemClock } from "@orchernetes/kernel";

/** After this long without being met, expectations no longer hold anything up: an event must have been lost. */
const expireAfterMs = 5 * 60_000;

interface Entry {
  creations: number;
  readonly deletions: Set<string>;
  readonly setAtMs: number;
}

/**
 * What a controller has asked for and not yet seen in its caches. Until a key's creations and deletions have all been
 * observed, its caches are known to be behind, and deciding from them would create or delete too much.
 *
 * Creations are counted; deletions are known by uid, so that one observed twice (as an update with deletionTimestamp, then
 * as a deletion) counts once.
 */
export class Expectations {
  readonly #entries = new Map<string, Entry>();
  readonly #clock: Clock;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  /** To be called before the creations are asked for: events may come before the answers. */
  expectCreations(key: string, count: number): void {
    this.#entries.set(key, { creations: count, deletions: new Set(), setAtMs: this.#clock.monotonicMs() });
  }

  /** To be called before the deletions are asked for. */
  expectDeletions(key: string, uids: readonly string[]): void {
    this.#entries.set(key, { creations: 0, deletions: new Set(uids), setAtMs: this.#clock.monotonicMs() });
  }

  /** One creation was seen, or will never be since asking for it failed. */
  creationObserved(key: string, count = 1): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined) entry.creations -= count;
  }

  /** The deletion was seen, or will never be since asking for it failed. */
  deletionObserved(key: string, uid: string): void {
    this.#entries.get(key)?.deletions.delete(uid);
  }

  /** Whether the key may be decided about. */
  satisfied(key: string): boolean {
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

  delete(key: string): void {
    this.#entries.delete(key);
  }
}
