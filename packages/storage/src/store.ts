import type { StoreError } from "./errors.ts";
import type { Revision } from "./revision.ts";

/** A stored value with the revision of its last write. */
export interface Versioned {
  readonly key: string;
  readonly value: Buffer;
  readonly modRevision: Revision;
  readonly createRevision: Revision;
  /** Set if the stored form is outdated, e.g. encrypted with an old key; writing the value again updates it. */
  readonly stale?: true;
}

/** Options of {@link Store.list}. */
export interface ListOptions {
  /** The largest number of items; 0 or undefined is no limit. */
  readonly limit?: number;
  /** Only keys strictly after this one (exclusive start; pagination). */
  readonly after?: string;
  /** The revision to read at. @default the latest */
  readonly revision?: Revision;
  readonly signal?: AbortSignal;
}

/** One consistent page of keys in byte order. */
export interface Page {
  readonly items: readonly Versioned[];
  /** The revision at which the page was read (the requested one when one was given). */
  readonly revision: Revision;
  /** Whether more keys follow the last item. */
  readonly more: boolean;
  /** The number of keys of the prefix that follow the last item; undefined when counting them would be expensive. */
  readonly remaining?: number;
}

/** A condition of a commit: the key's last write has exactly this revision; 0 means that the key must not exist. */
export interface Compare {
  readonly key: string;
  readonly modRevision: Revision | 0;
}

/** One write of a commit. */
export type Op =
  | { readonly type: "put"; readonly key: string; readonly value: Uint8Array; readonly ttlSeconds?: number }
  | { readonly type: "delete"; readonly key: string };

/**
 * The result of a commit. A conflict contains the current values of the compared keys in their order, read in the same transaction,
 * so that the caller can retry without another read.
 */
export type CommitResult =
  | { readonly type: "committed"; readonly revision: Revision }
  | { readonly type: "conflict"; readonly revision: Revision; readonly current: readonly (Versioned | undefined)[] };

/** One change under a watched prefix. Expiry of a TTL is an ordinary delete. */
export type Change =
  | {
      readonly type: "put";
      readonly key: string;
      readonly value: Buffer;
      readonly revision: Revision;
      readonly created: boolean;
    }
  | { readonly type: "delete"; readonly key: string; readonly revision: Revision };

/**
 * Changes in revision order. Every change of the prefix with a revision ≤ `revision` has been delivered by this batch or an
 * earlier one; an empty batch therefore reports progress only.
 */
export interface WatchBatch {
  readonly changes: readonly Change[];
  readonly revision: Revision;
}

/** Options of {@link Store.watch}. */
export interface WatchOptions {
  /** Changes with revision > `after` are delivered. */
  readonly after: Revision;
  readonly signal: AbortSignal;
}

/** Receives the changes of a {@link Subscription}. Neither method may throw. */
export interface ChangeSink {
  /** Changes of the prefix in revision order; never empty; a revision's changes are never split over two batches. */
  onBatch(batch: WatchBatch): void;
  /** The last call: with an error (`Compacted`: list again, others: subscribe again from the last revision), or without after close. */
  onEnd(error: StoreError | undefined): void;
}

/** A push-based watch. */
export interface Subscription {
  /** Every change of the prefix up to this revision has been delivered to the sink. It advances on changes of any key. */
  readonly revision: Revision;
  /** Calls `callback` once `revision` has reached the given one, possibly at once. Returns a function that cancels it. */
  whenReached(revision: Revision, callback: () => void): () => void;
  /** Ends the subscription: the sink receives no further batch. Idempotent. */
  close(): void;
}

/**
 * Key-value store with a linear history. Keys look like `/registry/<group?>/<resource>/<namespace?>/<name>`.
 *
 * All methods reject with a StoreError (see errors.ts) only: `Compacted`, `FutureRevision`, `Unavailable`, `Timeout`, `NoSpace`, `TooLarge`, `Corrupt`.
 */
export interface Store {
  get(
    key: string,
    options?: { readonly revision?: Revision; readonly signal?: AbortSignal },
  ): Promise<Versioned | undefined>;
  /** Resolves with the keys that start with `prefix`, in byte order, at one revision. */
  list(prefix: string, options?: ListOptions): Promise<Page>;
  /** Applies all ops at one new revision if every compare holds, durably (fsynced) before it resolves. */
  commit(compare: readonly Compare[], ops: readonly Op[]): Promise<CommitResult>;
  /** Yields changes in order and without gaps; ends by throwing `Compacted` when `after` is older than history, or normally when `signal` aborts. */
  watch(prefix: string, options: WatchOptions): AsyncIterable<WatchBatch>;
  /**
   * Like {@link watch}, pushed synchronously and with progress as a property instead of empty batches: progress of
   * other prefixes costs a subscriber nothing. Optional; {@link watch} alone is enough to implement a Store.
   */
  subscribe?(prefix: string, after: Revision, sink: ChangeSink): Subscription;
  /** The latest revision, linearizable: at least that of every commit acknowledged before the call by any server of the same store. */
  revision(): Promise<Revision>;
  /** Deletes the history before `revision`; the latest value of each key stays. Idempotent. */
  compact(revision: Revision): Promise<void>;
  /** Resolves with the number of live keys of the prefix. */
  count(prefix: string): Promise<number>;
  /** Resolves if the engine can serve reads and writes; rejects with the reason. */
  health(signal: AbortSignal): Promise<void>;
  /**
   * Resolves if the engine accepts writes, as far as is known without making one; rejects with the reason, e.g. `NoSpace` with a
   * remedy. An engine without this method reports that in {@link health}.
   */
  writable?(signal: AbortSignal): Promise<void>;
  /** Bytes on disk, for metrics; undefined if unknown. */
  sizeBytes(): Promise<number | undefined>;
  close(): Promise<void>;
}
