import { setTimeout as sleep } from "node:timers/promises";
import { type Clock, systemClock, type Timer } from "@orchernetes/kernel";
import { isStoreError } from "../errors.ts";
import { asRevision, type Revision } from "../revision.ts";
import type { Change, Store, Subscription, WatchBatch } from "../store.ts";
import type { CacheEntry } from "../watch-cache/cache-entry.ts";
import type { CacheEvent, ObjectEvent } from "../watch-cache/entry.ts";
import { subscribe } from "../watch-cache/subscribe.ts";
import { Verdicts } from "../watch-cache/verdict.ts";
import { selects, type WatchEndReason, type Watcher, type WatcherOptions } from "../watch-cache/watcher.ts";

/** Milliseconds before a subscription or read that failed is tried again. */
const RETRY_MS = 200;

/** The options of {@link watchStore}. */
export interface StoreWatchOptions extends WatcherOptions {
  /** The store to watch and to read previous versions from. */
  readonly store: Store;
  /** The prefix of the keys of all watched objects, including the namespace of the selection. */
  readonly prefix: string;
  /** Changes after this revision are delivered. */
  readonly after: Revision;
  /**
   * The store's revision when the watch was requested. Changes up to it do not count towards `maxBuffered`: a client
   * that resumes from an old version is not slow because its past is long.
   */
  readonly present: Revision;
  /** Decodes a stored version; undefined for bytes that cannot be decoded, which are then skipped. */
  readonly entryOf: (
    key: string,
    value: Buffer,
    revision: Revision,
    createRevision: Revision,
  ) => CacheEntry | undefined;
  /** Milliseconds between bookmarks. @default 60_000 */
  readonly bookmarkIntervalMs?: number;
  readonly clock?: Clock;
  /** Ends the watch with `stopped`. */
  readonly stopped: AbortSignal;
}

/**
 * Watches a store without a cache, for resources whose cache is disabled. The previous version of an object, which is
 * needed for its removal and for a change that makes it match or no longer match the selection, is read from the
 * store's history; if that is compacted the watcher ends with `expired`. Order and completeness are those of the
 * cache's watchers.
 */
export function watchStore(options: StoreWatchOptions): Watcher {
  return new StoreWatcher(options);
}

class StoreWatcher implements Watcher {
  readonly #options: StoreWatchOptions;
  readonly #clock: Clock;
  readonly #onAbort = () => this.stop();
  /** Aborted at the end, so that no read continues without a consumer. */
  readonly #reading = new AbortController();
  readonly #onStop = () => this.#end("stopped");
  /** Changes that are not converted to events yet; the changes of one revision stay together. */
  #changes: Change[] = [];
  #events: CacheEvent[] = [];
  /** All changes up to this revision are converted or delivered. */
  #handled: Revision;
  #working = false;
  #paused = false;
  #subscription: Subscription | undefined;
  #deliver: ((events: readonly CacheEvent[]) => void) | undefined;
  #ended: WatchEndReason | undefined;
  #onEnd: ((reason: WatchEndReason) => void) | undefined;
  #bookmarkTimer: Timer | undefined;

  constructor(options: StoreWatchOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#handled = options.after;
    options.signal?.addEventListener("abort", this.#onAbort);
    options.stopped.addEventListener("abort", this.#onStop);
    if (options.signal?.aborted) this.stop();
    if (options.stopped.aborted) this.#end("stopped");
    this.#follow(options.after);
    if (options.bookmarks) this.#scheduleBookmark();
  }

  onEvents(callback: (events: readonly CacheEvent[]) => void): void {
    this.#deliver = callback;
    this.#flush();
  }

  onEnd(callback: (reason: WatchEndReason) => void): void {
    this.#onEnd = callback;
    if (this.#ended !== undefined) callback(this.#ended);
  }

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    this.#flush();
  }

  bookmark(): void {
    if (this.#ended !== undefined) return;
    // A newer bookmark replaces one that is still waiting.
    if (this.#events.at(-1)?.type === "BOOKMARK") this.#events.pop();
    this.#events.push({ type: "BOOKMARK", revision: this.#position });
    this.#flush();
  }

  stop(): void {
    this.#end("aborted");
  }

  /** All changes up to this revision have been converted to events. */
  get #position(): Revision {
    const followed = this.#working || this.#changes.length > 0 ? 0 : (this.#subscription?.revision ?? 0);
    return asRevision(Math.max(this.#handled, followed));
  }

  #follow(after: Revision): void {
    if (this.#ended !== undefined) return;
    const { store, prefix } = this.#options;
    this.#subscription = subscribe(store, prefix, after, {
      onBatch: (batch) => this.#take(batch),
      onEnd: (error) => {
        if (this.#ended !== undefined) return;
        if (error === undefined) this.#end("stopped");
        else if (error.reason === "Compacted") this.#end("expired");
        else {
          // Changes that wait here were already received; the next subscription continues after them.
          const last = asRevision(Math.max(this.#changes.at(-1)?.revision ?? 0, this.#handled));
          this.#subscription = undefined;
          this.#clock.setTimeout(() => this.#follow(last), RETRY_MS).unref();
        }
      },
    });
  }

  #take({ changes }: WatchBatch): void {
    if (this.#ended !== undefined) return;
    const { name } = this.#options;
    for (const change of changes) if (name === undefined || change.key.endsWith(`/${name}`)) this.#changes.push(change);
    if (this.#crowded()) {
      this.#end("slow");
      return;
    }
    if (!this.#working) void this.#work();
  }

  /** Whether more than `maxBuffered` changes since the request wait for the consumer. */
  #crowded(): boolean {
    const { maxBuffered = 1000, present } = this.#options;
    const last = this.#changes.at(-1)?.revision ?? this.#handled;
    if (last <= present) return false;
    const old = this.#changes.findIndex(({ revision }) => revision > present);
    return this.#changes.length - Math.max(old, 0) + this.#events.length > maxBuffered;
  }

  /** Converts changes to events, one after another; it waits for reads of previous versions. */
  async #work(): Promise<void> {
    this.#working = true;
    try {
      while (this.#ended === undefined) {
        const [change] = this.#changes;
        if (change === undefined) break;
        const event = this.#needsPrevious(change) ? await this.#compared(change) : this.#plain(change);
        if (this.#ended !== undefined) return;
        this.#changes.shift();
        this.#handled = change.revision;
        if (event !== undefined) this.#events.push(event);
        if (this.#changes.length === 0 || this.#events.length >= 100) this.#flush();
      }
    } finally {
      this.#working = false;
      this.#flush();
    }
  }

  /**
   * Whether the event depends on the version before the change: a deletion carries the last state, and a selection
   * may have stopped matching.
   */
  #needsPrevious(change: Change): boolean {
    const { matches, fieldIndex } = this.#options;
    if (change.type === "delete") return true;
    return !change.created && (matches !== undefined || fieldIndex !== undefined);
  }

  /** Converts a change whose event depends on the new version alone. */
  #plain(change: Change): ObjectEvent | undefined {
    if (change.type === "delete") return undefined;
    const { key, value, revision, created } = change;
    const entry = this.#options.entryOf(key, value, revision, revision);
    if (entry === undefined || !selects(this.#options, entry)) return undefined;
    return { type: created ? "ADDED" : "MODIFIED", entry, revision, frames: undefined };
  }

  /**
   * Converts a change by comparing it with the version before it, which is read at the revision before the change.
   * Retries while the store is unavailable.
   */
  async #compared(change: Change): Promise<ObjectEvent | undefined> {
    const { store, entryOf } = this.#options;
    const { signal } = this.#reading;
    const { key, revision } = change;
    while (this.#ended === undefined) {
      try {
        const before = await store.get(key, { revision: asRevision(revision - 1), signal });
        const previous = before && entryOf(key, before.value, before.modRevision, before.createRevision);
        const createRevision = before?.createRevision ?? revision;
        const current = change.type === "put" ? entryOf(key, change.value, revision, createRevision) : undefined;
        return new Verdicts({ revision, current, previous }).event(
          previous !== undefined && selects(this.#options, previous),
          current !== undefined && selects(this.#options, current),
        );
      } catch (error) {
        if (isStoreError(error, "Unavailable") || isStoreError(error, "Timeout"))
          await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined);
        // The previous version is compacted or cannot be read: the client must list again.
        else this.#end("expired");
      }
    }
    return undefined;
  }

  #flush(): void {
    if (this.#paused || this.#deliver === undefined || this.#events.length === 0) return;
    const events = this.#events;
    this.#events = [];
    this.#deliver(events);
  }

  #scheduleBookmark(): void {
    if (this.#ended !== undefined) return;
    this.#bookmarkTimer = this.#clock.setTimeout(() => {
      this.bookmark();
      this.#scheduleBookmark();
    }, this.#options.bookmarkIntervalMs ?? 60_000);
    this.#bookmarkTimer.unref();
  }

  #end(reason: WatchEndReason): void {
    if (this.#ended !== undefined) return;
    this.#ended = reason;
    this.#changes = [];
    this.#events = [];
    this.#options.signal?.removeEventListener("abort", this.#onAbort);
    this.#options.stopped.removeEventListener("abort", this.#onStop);
    this.#bookmarkTimer?.clear();
    this.#subscription?.close();
    this.#reading.abort();
    this.#onEnd?.(reason);
  }
}
