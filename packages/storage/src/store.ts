import type { StoreError } from "./errors.ts";
import type { Revision } from "./revision.ts";

/** A stored value with the revisions of its creation and of its last write. */
export interface Versioned {
  readonly key: string;
  readonly value: Buffer;
  readonly modRevision: Revision;
  readonly createRevision: Revision;
  /** Set if the stored form is outdated, for example encrypted with an old key; writing the value again updates it. */
  readonly stale?: true;
}

/** Options of {@link Store.list}. */
export interface ListOptions {
  /** The largest number of items; 0 or undefined is no limit. */
  readonly limit?: number;
  /** Only keys strictly after this one, for pagination. */
  readonly after?: string;
  /** The revision to read at. @default the latest */
  readonly revision?: Revision;
  readonly signal?: AbortSignal;
}

/** One consistent page of keys in byte order. */
export interface Page {
  readonly items: readonly Versioned[];
  /** The revision at which the page was read: the requested one, or the latest. */
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

/** One write of a commit. A key with `ttlSeconds` is deleted after that time unless it is written again. */
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

/**
 * One change under a watched prefix. The expiry of a TTL is an ordinary delete. `created` says that the key did not
 * exist before.
 */
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
 * A key-value store with a linear history: every commit has a later revision than those before it, and reads at a revision see
 * exactly the commits up to it. Commits of different resources may share a revision; those of one resource never do. Keys look like
 * `/registry/<group?>/<resource>/<namespace?>/<name>`.
 *
 * Methods reject with a StoreError only: `Compacted`, `FutureRevision`, `Unavailable`, `Timeout`, `NoSpace`,
 * `TooLarge` or `Corrupt`.
 */
export interface Store {
  /**
   * The store that this one is a view of, if values and commits of both are the same: commits through either may compare
   * keys of the other. @default the store itself
   */
  readonly engine?: Store;
  /** Resolves with the latest value of a key, or that at a revision; undefined if it did not exist. */
  get(
    key: string,
    options?: { readonly revision?: Revision; readonly signal?: AbortSignal },
  ): Promise<Versioned | undefined>;
  /** Resolves with the keys that start with `prefix`, in byte order, at one revision. */
  list(prefix: string, options?: ListOptions): Promise<Page>;
  /**
   * Applies all ops at one new revision if every compare holds, durably (fsynced) before it resolves. After
   * `Unavailable` or `Timeout` the outcome is unknown: read before you retry.
   */
  commit(compare: readonly Compare[], ops: readonly Op[]): Promise<CommitResult>;
  /**
   * Yields changes in order and without gaps. Ends by throwing `Compacted` when `after` is older than the history,
   * and normally when `signal` aborts.
   */
  watch(prefix: string, options: WatchOptions): AsyncIterable<WatchBatch>;
  /**
   * Like {@link watch}, pushed synchronously and with progress as a property instead of empty batches: progress of
   * other prefixes costs a subscriber nothing. Optional; {@link watch} alone is enough to implement a Store.
   */
  subscribe?(prefix: string, after: Revision, sink: ChangeSink): Subscription;
  /**
   * The latest revision, linearizable: at least that of every commit that was acknowledged before the call, by any
   * server of the same store.
   */
  revision(): Promise<Revision>;
  /** Deletes the history before `revision`; the latest value of each key is kept. Idempotent. */
  compact(revision: Revision): Promise<void>;
  /** Resolves with the number of live keys of the prefix. */
  count(prefix: string): Promise<number>;
  /** Resolves if the engine can serve reads and writes; rejects with the reason. */
  health(signal: AbortSignal): Promise<void>;
  /**
   * Resolves if the engine accepts writes, as far as is known without making one; rejects with the reason, such as
   * `NoSpace` with a remedy. An engine without this method reports that in {@link health}.
   */
  writable?(signal: AbortSignal): Promise<void>;
  /** Bytes on disk, for metrics; undefined if unknown. */
  sizeBytes(): Promise<number | undefined>;
  /** Ends watches and releases connections and files; later calls reject with `Unavailable`. Idempotent. */
  close(): Promise<void>;
}
