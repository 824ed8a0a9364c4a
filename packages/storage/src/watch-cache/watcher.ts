import type { Revision } from "../revision.ts";
import type { CacheEntry } from "./cache-entry.ts";
import type { CacheEvent, FieldValue, LabelValue } from "./entry.ts";
import type { Verdicts } from "./verdict.ts";

/**
 * Why a watcher ended: `slow` (its buffer was full), `expired` (the cache missed changes and listed again, so the
 * client must, too), `aborted` (by its signal), `stopped` (by the cache's signal).
 */
export type WatchEndReason = "slow" | "expired" | "aborted" | "stopped";

/** The objects that a watcher selects. */
export interface Selection {
  readonly namespace?: string;
  readonly name?: string;
  /** A field with its value; it is cheapest if the field is indexed. */
  readonly fieldIndex?: FieldValue;
  /** A label that `matches` requires: a hint that lets a list skip other objects. */
  readonly label?: LabelValue;
  /** Decides on the rest. It must be pure; it is called for each version, at the time of its change. */
  readonly matches?: (entry: CacheEntry) => boolean;
}

/** The options of {@link WatchCache.listAndWatch}. */
export interface WatcherOptions extends Selection {
  /** Whether the watcher receives BOOKMARK events. */
  readonly bookmarks: boolean;
  /** The number of events that may wait while it is paused; one more ends it with `slow`. @default 1000 */
  readonly maxBuffered?: number;
  /** Ends the watcher; {@link Watcher.stop} does the same at a lower cost. */
  readonly signal?: AbortSignal;
}

/** A running watch. Events wait until {@link onEvents} is called, and while it is paused. */
export interface Watcher {
  /** Sets the only callback and calls it at once with waiting events. It must not throw, and must not keep the array. */
  onEvents(callback: (events: readonly CacheEvent[]) => void): void;
  /**
   * Sets the only callback for the end, which is called at once if the watcher has ended. Nothing is delivered after
   * it.
   */
  onEnd(callback: (reason: WatchEndReason) => void): void;
  /** Back-pressure: nothing is delivered until {@link resume}. */
  pause(): void;
  resume(): void;
  /** Delivers a bookmark at the current revision of the cache, e.g. before the server's timeout ends the watch. */
  bookmark(): void;
  /** Ends it with `aborted`. Idempotent. */
  stop(): void;
}

/** What the cache provides to a watcher. */
export interface WatcherContext {
  /** Changes up to this revision are not delivered, even if the cache has not seen them yet. */
  readonly after: Revision;
  /** Events from the history; they do not count towards the limit. */
  readonly initial: CacheEvent[];
  /** The cache's current revision. */
  readonly now: () => Revision;
  /** Called once, when it ends. */
  readonly left: (watcher: CacheWatcher) => void;
}

/** The cache's side of a watcher. */
export class CacheWatcher implements Watcher {
  readonly selection: Selection;
  readonly bookmarks: boolean;
  readonly #maxBuffered: number;
  readonly #context: WatcherContext;
  readonly #signal: AbortSignal | undefined;
  readonly #aborted: (() => void) | undefined;
  #buffer: CacheEvent[];
  #limit: number;
  #paused = false;
  #deliver: ((events: readonly CacheEvent[]) => void) | undefined;
  #ended: WatchEndReason | undefined;
  #onEnd: ((reason: WatchEndReason) => void) | undefined;

  constructor(options: WatcherOptions, context: WatcherContext) {
    this.selection = options;
    this.bookmarks = options.bookmarks;
    this.#maxBuffered = options.maxBuffered ?? 1000;
    this.#context = context;
    this.#buffer = context.initial;
    this.#limit = this.#maxBuffered + context.initial.length;
    this.#signal = options.signal;
    this.#aborted = this.#signal && (() => this.stop());
    if (this.#aborted !== undefined) this.#signal?.addEventListener("abort", this.#aborted);
  }

  onEvents(callback: (events: readonly CacheEvent[]) => void): void {
    this.#deliver = callback;
    this.flush();
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
    this.flush();
  }

  bookmark(): void {
    this.offerBookmark(this.#context.now());
    this.flush();
  }

  stop(): void {
    this.end("aborted");
  }

  /** Buffers the event of a change for this watcher, if any; returns whether there is something to flush. */
  offer(verdicts: Verdicts): boolean {
    const { current, previous, revision } = verdicts.change;
    if (revision <= this.#context.after) return false;
    const matched = previous !== undefined && selects(this.selection, previous);
    const matches = current !== undefined && selects(this.selection, current);
    if (!matched && !matches) return false;
    const event = verdicts.event(matched, matches);
    if (event === undefined || this.#ended !== undefined) return false;
    this.#buffer.push(event);
    if (this.#buffer.length <= this.#limit) return true;
    this.end("slow");
    return false;
  }

  /** Buffers a bookmark; it is not counted towards the limit. */
  offerBookmark(revision: Revision): void {
    if (this.#ended !== undefined) return;
    // A newer bookmark replaces one that is still waiting.
    if (this.#buffer.at(-1)?.type === "BOOKMARK") this.#buffer.pop();
    this.#buffer.push({ type: "BOOKMARK", revision });
  }

  /** Delivers waiting events, unless paused. */
  flush(): void {
    if (this.#paused || this.#deliver === undefined || this.#buffer.length === 0) return;
    const events = this.#buffer;
    this.#buffer = [];
    this.#limit = this.#maxBuffered;
    this.#deliver(events);
  }

  /** Ends the watcher; waiting events are dropped. Idempotent. */
  end(reason: WatchEndReason): void {
    if (this.#ended !== undefined) return;
    this.#ended = reason;
    this.#buffer = [];
    if (this.#aborted !== undefined) this.#signal?.removeEventListener("abort", this.#aborted);
    this.#context.left(this);
    this.#onEnd?.(reason);
  }
}

/** Whether the selection matches the entry. */
export function selects(selection: Selection, entry: CacheEntry): boolean {
  const { namespace, name, fieldIndex, matches } = selection;
  if (namespace !== undefined && entry.namespace !== namespace) return false;
  if (name !== undefined && entry.name !== name) return false;
  if (fieldIndex !== undefined && entry.fields[fieldIndex.field] !== fieldIndex.value) return false;
  return matches === undefined || matches(entry);
}
