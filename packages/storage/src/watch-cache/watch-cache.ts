import {
  type Clock,
  type EventLoop,
  type Logger,
  silentLogger,
  systemClock,
  systemEventLoop,
  type Timer,
} from "@orchernetes/kernel";
import { compacted, isStoreError, StoreError } from "../errors.ts";
import { asRevision, type Revision } from "../revision.ts";
import type { Change, Page, Store, Subscription, WatchBatch } from "../store.ts";
import type { CacheEntry } from "./cache-entry.ts";
import { Describer } from "./describer.ts";
import type { CacheEvent, Described } from "./entry.ts";
import { EventWindow } from "./event-window.ts";
import { ObjectTable } from "./object-table.ts";
import { subscribe } from "./subscribe.ts";
import { Verdicts } from "./verdict.ts";
import { CacheWatcher, type Selection, selects, type Watcher, type WatcherOptions } from "./watcher.ts";
import { WatcherSet } from "./watcher-set.ts";

/** Bytes of objects that are described per turn of the event loop; each object counts as some additional bytes. */
const DESCRIBED_PER_TURN = 1 << 19;
const COST_OF_OBJECT = 2048;
/**
 * Page sizes in objects. A store counts the remaining objects for every page, so few pages are cheaper. The size of
 * the next page is chosen by the size of the objects in the last one, so that its bytes stay near {@link PAGE_BYTES}.
 */
const PAGE = { first: 500, most: 5000 } as const;
const PAGE_BYTES = 8 << 20;
const MIN_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 5000;
/** Time limit of {@link WatchCache.waitFresh} and {@link WatchCache.waitFor}, as in Kubernetes. */
const FRESH_TIMEOUT_MS = 3000;

/** The options of a {@link WatchCache}. */
export interface WatchCacheOptions {
  readonly store: Store;
  /** The prefix of all keys of the resource, with `/` at the end. */
  readonly prefix: string;
  /** Whether keys have a namespace between prefix and name. */
  readonly namespaced: boolean;
  /** Converts stored bytes to what the cache keeps; may throw for invalid bytes, whose object is then skipped. */
  readonly describe: (key: string, value: Buffer, revision: Revision) => Described;
  /** Fields with an index, such as `spec.nodeName`. */
  readonly indexes?: readonly string[];
  /** Changes kept for watches that start in the past. @default by age: those of the last 75 s, from 100 to 102,400 */
  readonly historySize?: number;
  /** @default 60_000 */
  readonly bookmarkIntervalMs?: number;
  readonly clock?: Clock;
  readonly loop?: EventLoop;
  readonly logger?: Logger;
  /** Ends the cache and all its watchers when it aborts. */
  readonly signal: AbortSignal;
}

/** The objects to list. A label selects all objects that have it, possibly with others. */
export type CacheListOptions = Pick<Selection, "namespace" | "fieldIndex" | "label">;

/** Options of {@link WatchCache.watch}. */
export interface CacheWatchOptions extends WatcherOptions {
  /** Changes after this revision are delivered. */
  readonly after: Revision;
}

/** See {@link WatchCache.counts}. */
export interface WatchCacheCounts {
  initializations: number;
  received: number;
  dispatched: number;
}

/** A list and the watch that continues exactly where it ends. */
export interface ListAndWatch {
  readonly entries: readonly CacheEntry[];
  readonly revision: Revision;
  readonly watcher: Watcher;
}

/**
 * Keeps all objects of one resource in memory as JSON that is ready to be sent, and follows the store's watch. So
 * reads and watches of any number of clients cost the store one watch. Within one turn of the event loop the state
 * does not change: `revision`, lists and events agree.
 */
export class WatchCache {
  readonly #options: WatchCacheOptions;
  readonly #clock: Clock;
  readonly #loop: EventLoop;
  readonly #logger: Logger;
  readonly #describer: Describer;
  readonly #window: EventWindow;
  readonly #watchers: WatcherSet;
  #objects: ObjectTable;
  #subscription: Subscription | undefined;
  /** The revision up to which the last list or batch was complete. */
  #applied = asRevision(0);
  #state: "new" | "listing" | "ready" | "stopped" = "new";
  #whenReady = Promise.withResolvers<void>();
  /** Why the last attempt to list or follow failed; undefined after a success. */
  #problem: StoreError | undefined;
  #bookmarkTimer: Timer | undefined;
  readonly #counts = { initializations: 0, received: 0, dispatched: 0 };

  constructor(options: WatchCacheOptions) {
    const { clock = systemClock, loop = systemEventLoop, logger = silentLogger } = options;
    this.#options = options;
    this.#clock = clock;
    this.#loop = loop;
    this.#logger = logger;
    this.#describer = new Describer({ ...options, logger });
    this.#window = new EventWindow(this.#applied, options.historySize);
    this.#watchers = new WatcherSet(options.indexes ?? [], loop);
    this.#objects = new ObjectTable(options.indexes ?? []);
    // A rejection must not be an unhandled one if no caller waits for readiness.
    this.#whenReady.promise.catch(() => {});
  }

  /** Starts listing and following; further calls do nothing. */
  start(): void {
    if (this.#state !== "new") return;
    const { signal } = this.#options;
    if (signal.aborted) {
      this.#stop();
      return;
    }
    this.#state = "listing";
    signal.addEventListener("abort", () => this.#stop(), { once: true });
    this.#scheduleBookmarks();
    void this.#follow();
  }

  /** Resolves once the first list is complete; rejects with `Unavailable` if the cache is stopped before. */
  ready(): Promise<void> {
    return this.#whenReady.promise;
  }

  /** Whether the first list is complete and the cache has not stopped. */
  isReady(): boolean {
    return this.#state === "ready";
  }

  /** Every change of the resource up to this revision is included. */
  get revision(): Revision {
    const followed = this.#subscription?.revision ?? this.#applied;
    return asRevision(Math.max(followed, this.#applied));
  }

  /** The oldest revision a watch can start after. */
  get oldestRevision(): Revision {
    return this.#window.floor;
  }

  /** The number of objects. */
  get size(): number {
    return this.#objects.size;
  }

  /** Counts since the start: lists from the store, changes received, events delivered to watchers. */
  get counts(): Readonly<WatchCacheCounts> {
    return this.#counts;
  }

  /** Number of changes that can be kept now for watches that start in the past. */
  get capacity(): number {
    return this.#window.capacity;
  }

  /** Number of increases and decreases of that capacity. */
  get capacityChanges(): { readonly increases: number; readonly decreases: number } {
    return { increases: this.#window.grown, decreases: this.#window.shrunk };
  }

  /** The number of running watchers. */
  get watcherCount(): number {
    return this.#watchers.size;
  }

  /**
   * Waits until the cache includes everything that was in the store at the time of the call, and resolves with that revision.
   * Concurrent callers share the store's linearizable read (see `SharedCall`).
   *
   * @param work its signal ends the wait; it is only read if there is something to wait for, because it may be created on demand
   * @throws StoreError `Timeout` when the cache has not reached it after `timeoutMs`, or the error of the store.
   */
  async waitFresh(
    work?: { readonly signal?: AbortSignal | undefined },
    timeoutMs = FRESH_TIMEOUT_MS,
  ): Promise<Revision> {
    const revision = await this.#options.store.revision();
    if (this.#state !== "ready" || this.revision < revision) await this.waitFor(revision, timeoutMs, work?.signal);
    return revision;
  }

  /**
   * Waits until the cache is ready and includes everything up to `revision`.
   *
   * @throws StoreError `Timeout` ("Too large resource version") after `timeoutMs`, or why the cache cannot be filled: at once if a stored
   *   value cannot be read; `Unavailable` when the cache is stopped.
   */
  async waitFor(revision: Revision, timeoutMs = FRESH_TIMEOUT_MS, signal?: AbortSignal): Promise<void> {
    const expired = Promise.withResolvers<never>();
    const timer = this.#clock.setTimeout(() => expired.reject(this.#late(revision)), timeoutMs).unref();
    const aborted = () =>
      expired.reject(new StoreError("Unavailable", "the wait was cancelled", { cause: signal?.reason }));
    signal?.addEventListener("abort", aborted, { once: true });
    try {
      if (signal?.aborted) aborted();
      // A stream that breaks wakes its waiters early; they then wait for the next one.
      while (this.#state !== "ready" || this.revision < revision) {
        if (this.#stopped()) throw this.#ended();
        if (this.#problem?.reason === "Corrupt") throw this.#notFilled(this.#problem);
        await Promise.race([this.#state === "ready" ? this.#reached(revision) : this.ready(), expired.promise]);
      }
    } finally {
      expired.promise.catch(() => {});
      timer.clear();
      signal?.removeEventListener("abort", aborted);
    }
  }

  /** The object, as of {@link revision}. `namespace` is empty for a resource without namespaces. */
  get(namespace: string, name: string): CacheEntry | undefined {
    const { prefix, namespaced } = this.#options;
    return this.#objects.get(namespaced ? `${prefix}${namespace}/${name}` : `${prefix}${name}`);
  }

  /** The objects as of {@link revision}, in key order. The result never changes later. */
  list({ namespace, fieldIndex, label }: CacheListOptions = {}): readonly CacheEntry[] {
    return this.#objects.list(this.#namespacePrefix(namespace), fieldIndex, label);
  }

  /**
   * Stores a writer's description of its commit, so that the event need not be parsed. It has no effect if the event has already been
   * processed.
   */
  prime(key: string, revision: Revision, described: Described): void {
    if (revision > this.#applied) this.#describer.prime(key, revision, described);
  }

  /**
   * Like {@link prime}, but before the commit, when the revision is not known yet: the event whose stored bytes are
   * `value` is described by `describe`. Returns a function that withdraws it, for example after a conflict.
   */
  announce(key: string, value: Uint8Array, describe: (revision: Revision) => Described): () => void {
    return this.#describer.announce(key, value, describe);
  }

  /**
   * Watches from `after` on.
   *
   * @throws StoreError `Compacted` if not all changes after `after` are known any more, `Unavailable` if the cache is
   *   not ready
   */
  watch(options: CacheWatchOptions): Watcher {
    this.#mustBeReady();
    const { after } = options;
    if (after < this.#window.floor) throw compacted(after, this.#window.floor);
    const initial: CacheEvent[] = [];
    for (const change of this.#window.since(after)) {
      const { current, previous } = change;
      const event = new Verdicts(change).event(
        previous !== undefined && selects(options, previous),
        current !== undefined && selects(options, current),
      );
      if (event !== undefined) initial.push(event);
    }
    return this.#watcher(options, after, initial);
  }

  /**
   * Returns the selected objects and a watch that continues from there without a gap.
   *
   * @throws StoreError `Unavailable` if the cache is not ready.
   */
  listAndWatch(options: WatcherOptions): ListAndWatch {
    this.#mustBeReady();
    const entries = this.list(options).filter((entry) => selects(options, entry));
    const { revision } = this;
    return { entries, revision, watcher: this.#watcher(options, revision, []) };
  }

  #watcher(options: WatcherOptions, after: Revision, initial: CacheEvent[]): Watcher {
    const watcher = new CacheWatcher(options, {
      after,
      initial,
      now: () => this.revision,
      left: (ended) => this.#watchers.remove(ended),
    });
    this.#watchers.add(watcher);
    if (options.signal?.aborted) watcher.stop();
    return watcher;
  }

  /** Lists, then follows; lists again only when the store has compacted the missed changes. */
  async #follow(): Promise<void> {
    let backoffMs = MIN_BACKOFF_MS;
    let listed = false;
    while (this.#state !== "stopped") {
      try {
        if (!listed) await this.#list();
        listed = true;
        backoffMs = MIN_BACKOFF_MS;
        await this.#stream();
      } catch (error) {
        if (this.#stopped()) return;
        const { prefix } = this.#options;
        if (isStoreError(error, "Compacted")) {
          listed = false;
          if (error.cause !== undefined)
            this.#logger.error(error, "Watch cache lists again after an error", { prefix });
          continue;
        }
        this.#problem = isStoreError(error) ? error : undefined;
        this.#logger.warn("Watch cache cannot follow the store; it retries", { prefix, err: String(error), backoffMs });
        await this.#pause(backoffMs);
        backoffMs = Math.min(backoffMs * 2, MAX_BACKOFF_MS);
      }
    }
  }

  async #list(): Promise<void> {
    const { store, prefix, indexes = [] } = this.#options;
    const objects = new ObjectTable(indexes);
    let page = await store.list(prefix, { limit: PAGE.first });
    let described = 0;
    for (
      const { revision } = page;
      ;
      page = await store.list(prefix, { limit: nextLimit(page), after: lastKey(page), revision })
    ) {
      // Reading a long page has used up this turn.
      if (page.items.length >= PAGE.first) await this.#loop.nextTurn();
      for (const { key, value, modRevision, createRevision } of page.items) {
        const entry = this.#describer.entry(key, value, modRevision, createRevision);
        if (entry !== undefined) objects.set(entry);
        described += value.length + COST_OF_OBJECT;
        if (described < DESCRIBED_PER_TURN) continue;
        described = 0;
        await this.#loop.nextTurn();
      }
      if (!page.more) break;
    }
    if (this.#stopped()) return;
    // The missed changes are unknown, so watchers end and their clients must list as well.
    this.#watchers.end("expired");
    this.#objects = objects;
    this.#applied = page.revision;
    this.#window.reset(page.revision);
    this.#counts.initializations++;
    this.#state = "ready";
    this.#problem = undefined;
    this.#whenReady.resolve();
  }

  /** Follows until the stream ends; always throws. */
  #stream(): Promise<never> {
    const { store, prefix } = this.#options;
    return new Promise((_, reject) => {
      this.#subscription = subscribe(store, prefix, this.#applied, {
        onBatch: (batch) => this.#apply(batch),
        onEnd: (error) => {
          // The last known progress is kept, so that the next stream starts there and not at the last change of this prefix.
          this.#applied = this.revision;
          this.#subscription = undefined;
          reject(error ?? new StoreError("Unavailable", "the store ended the watch"));
        },
      });
    });
  }

  #apply(batch: WatchBatch): void {
    if (this.#state === "stopped") return;
    const now = this.#clock.nowMs();
    this.#counts.received += batch.changes.length;
    for (const change of batch.changes) {
      const current = this.#entryOf(change);
      const previous = current === undefined ? this.#objects.delete(change.key) : this.#objects.set(current);
      if (current === undefined && previous === undefined) continue;
      const objectChange = { revision: change.revision, current, previous };
      this.#window.push(objectChange, now);
      this.#watchers.offer(objectChange);
      this.#counts.dispatched++;
    }
    this.#applied = batch.revision;
    this.#problem = undefined;
    this.#watchers.flush();
  }

  #entryOf(change: Change): CacheEntry | undefined {
    if (change.type === "delete") {
      this.#describer.forget(change.key);
      return undefined;
    }
    const { key, value, revision, created } = change;
    const createRevision = created ? revision : (this.#objects.get(key)?.createRevision ?? revision);
    return this.#describer.entry(key, value, revision, createRevision);
  }

  #reached(revision: Revision): Promise<void> {
    const subscription = this.#subscription;
    if (subscription === undefined) return this.#pause(MIN_BACKOFF_MS);
    return new Promise((resolve) => void subscription.whenReached(revision, resolve));
  }

  #late(revision: Revision): StoreError {
    // While it follows again, an earlier problem of the store is over.
    if (this.#problem !== undefined && this.#subscription === undefined) return this.#notFilled(this.#problem);
    return new StoreError("Timeout", `Too large resource version: ${revision}, current: ${this.revision}`);
  }

  #notFilled(problem: StoreError): StoreError {
    const text = `the watch cache of ${this.#options.prefix} cannot be filled: ${problem.message}`;
    return new StoreError(problem.reason, text, { cause: problem });
  }

  #mustBeReady(): void {
    if (this.#state === "ready") return;
    throw new StoreError("Unavailable", `the watch cache of ${this.#options.prefix} is not ready`);
  }

  #namespacePrefix(namespace: string | undefined): string | undefined {
    const { prefix, namespaced } = this.#options;
    return namespaced && namespace !== undefined ? `${prefix}${namespace}/` : undefined;
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#clock.setTimeout(resolve, ms).unref());
  }

  #scheduleBookmarks(): void {
    this.#bookmarkTimer = this.#clock.setTimeout(() => {
      if (this.#state === "ready") this.#watchers.bookmark(this.revision);
      this.#scheduleBookmarks();
    }, this.#options.bookmarkIntervalMs ?? 60_000);
    this.#bookmarkTimer.unref();
  }

  #stopped(): boolean {
    return this.#state === "stopped";
  }

  #stop(): void {
    this.#state = "stopped";
    this.#bookmarkTimer?.clear();
    this.#subscription?.close();
    this.#watchers.end("stopped");
    this.#whenReady.reject(this.#ended());
  }

  #ended(): StoreError {
    return new StoreError("Unavailable", `the watch cache of ${this.#options.prefix} has stopped`);
  }
}

function nextLimit({ items }: Page): number {
  const bytes = items.reduce((sum, { value }) => sum + value.length, 1);
  return Math.min(Math.max(1, Math.floor((items.length * PAGE_BYTES) / bytes)), PAGE.most);
}

function lastKey(page: { readonly items: readonly { readonly key: string }[] }): string {
  return page.items.at(-1)?.key ?? "";
}
