import { setTimeout as sleep } from "node:timers/promises";
import { type Clock, systemClock, type Timer } from "@orchernetes/kernel";
import { isStoreError } from "../errors.ts";
import { asRevision } from "../revision.ts";
import type { Change, Revision, Store, Subscription, WatchBatch } from "../store.ts";
import type { CacheEntry } from "../watch-cache/cache-entry.ts";
import type { CacheEvent, ObjectEvent } from "../watch-cache/entry.ts";
import { subscribe } from "../watch-cache/subscribe.ts";
import { Verdicts } from "../watch-cache/verdict.ts";
import { selects, type WatchEndReason, type Watcher, type WatcherOptions } from "../watch-cache/watcher.ts";

const RETRY_MS = 200;

/** How {@link watchStore} watches. */
export interface StoreWatchOptions extends WatcherOptions {
  readonly store: Store;
  /** What the keys of all watched objects start with, the selection's namespace included. */
  readonly prefix: string;
  /** Changes after this revision are delivered. */
  readonly after: Revision;
  /** The store's revision when the watch was asked for: changes up to it do not count towards `maxBuffered`. */
  readonly present: Revision;
  /** A stored version as it is delivered; undefined for bytes that cannot be understood, which are then left out. */
  readonly entryOf: (
    key: string,
    value: Buffer,
    revision: Revision,
    createRevision: Revision,
  ) => CacheEntry | undefined;
  /** @default 60_000 */
  readonly bookmarkIntervalMs?: number;
  readonly clock?: Clock;
  /** Ends it with `stopped`. */
  readonly stopped: AbortSignal;
}

/**
 * Watches a store without a cache in between. What an object was before its removal, and before a change that may end or begin
 * its being selected, is read from the store's history; once that is compacted the watcher ends with `expired`. Order and
 * completeness are as with the cache's watchers.
 */
export function watchStore(options: StoreWatchOptions): Watcher {
  return new StoreWatcher(options);
}

class StoreWatcher implements Watcher {
  readonly #options: StoreWatchOptions;
  readonly #clock: Clock;
  readonly #onAbort = () => this.stop();
  /** Aborted at the end: nothing is read for nobody. */
  readonly #reading = new AbortController();
  readonly #onStop = () => this.#end("stopped");
  /** Changes that have not become events; a revision's changes are never taken apart. */
  #changes: Change[] = [];
  #events: CacheEvent[] = [];
  /** Everything up to here is among the events, or was delivered. */
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
    // A newer bookmark says all that one still waiting would have said.
    if (this.#events.at(-1)?.type === "BOOKMARK") this.#events.pop();
    this.#events.push({ type: "BOOKMARK", revision: this.#position });
    this.#flush();
  }

  stop(): void {
    this.#end("aborted");
  }

  /** Everything up to here has become events. */
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

  #crowded(): boolean {
    const { maxBuffered = 1000, present } = this.#options;
    const last = this.#changes.at(-1)?.revision ?? this.#handled;
    if (last <= present) return false;
    const old = this.#changes.findIndex(({ revision }) => revision > present);
    return this.#changes.length - Math.max(old, 0) + this.#events.length > maxBuffered;
  }

  /** Makes events of the changes, one after another; reads of the past are waited for. */
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

  #needsPrevious(change: Change): boolean {
    const { matches, fieldIndex } = this.#options;
    if (change.type === "delete") return true;
    return !change.created && (matches !== undefined || fieldIndex !== undefined);
  }

  /** A change whose verdict the new version alone decides. */
  #plain(change: Change): ObjectEvent | undefined {
    if (change.type === "delete") return undefined;
    const { key, value, revision, created } = change;
    const entry = this.#options.entryOf(key, value, revision, revision);
    if (entry === undefined || !selects(this.#options, entry)) return undefined;
    return { type: created ? "ADDED" : "MODIFIED", entry, revision, frames: undefined };
  }

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
        // What was there is forgotten or cannot be read: only a new list can tell the client.
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
