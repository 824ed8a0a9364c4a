import type { EventLoop } from "@orchernetes/kernel";
import type { CacheEntry, Revision, Watcher } from "@orchernetes/storage";
import type { ObjectRef } from "../interfaces/index.ts";
import type { ListOptions } from "./list-options.ts";
import type { ObjectStorage, StoredObject } from "./object-storage.ts";
import type { EntrySelection } from "./selection.ts";

/**
 * A list read from the cache or the store. Entries are immutable, so that a response may be written slowly without a
 * copy.
 */
export interface ListResult {
  /** In the version's form. */
  readonly entries: readonly CacheEntry[];
  readonly revision: Revision;
  /** Token of the next page; undefined if this is the last one. */
  readonly continue: string | undefined;
  /**
   * Objects after this page, for `remainingItemCount`; undefined if there are none, or if a selector makes the number
   * unknown.
   */
  readonly remaining: number | undefined;
  readonly source: "cache" | "store";
  /** Objects that were examined to find these, for metrics. */
  readonly examined: number;
}

/** What a watch starts with. */
export interface WatchStart {
  readonly watcher: Watcher;
  /** Objects to send as ADDED first; in the stored form. */
  readonly initial: readonly CacheEntry[];
  /** The revision of `initial`, or after which events start. */
  readonly revision: Revision;
}

/** The served version of a resource, as far as reading needs it. */
export interface ReadSource {
  readonly storage: ObjectStorage;
  /** Whether stored bytes are this version's own. */
  readonly direct: boolean;
  /** Cache entries with this version's bytes. */
  entries(entries: readonly CacheEntry[], work: { readonly signal: AbortSignal }): Promise<readonly CacheEntry[]>;
  readonly environment: {
    /** Ends reads of the server's own parts. */
    readonly signal: AbortSignal;
    readonly loop: EventLoop;
  };
}

/** Reads and watches one served version of a resource: from its watch cache, or from the store itself (`--watch-cache`). */
export interface ResourceReader {
  /**
   * The object as of `version` or later; undefined: the current one, 0: any cached version. In the stored form.
   * @param work its signal ends the read; used only where it is needed, because it may be created on demand
   * @throws ApiError Timeout "Too large resource version"
   */
  get(
    ref: ObjectRef,
    version: Revision | undefined,
    work?: { readonly signal?: AbortSignal | undefined },
  ): Promise<StoredObject | undefined>;
  /** All selected objects in their current state, in the form that is stored. */
  all(selection: EntrySelection): Promise<{ readonly entries: readonly CacheEntry[]; readonly revision: Revision }>;
  /**
   * Like {@link all}, but the objects may be a moment old if that is cheaper. Synchronous if nothing has to be waited
   * for.
   */
  recent(selection: EntrySelection): readonly CacheEntry[] | Promise<readonly CacheEntry[]>;
  /**
   * Reads a list as resourceVersion, resourceVersionMatch, limit and continue request it. Entries are in the version's
   * form. Selectors are applied to labels as they are stored, also if a webhook changes them between versions.
   *
   * @throws ApiError Expired when the requested history was compacted, Timeout for a version in the future
   */
  list(selection: EntrySelection, options: ListOptions, signal: AbortSignal): Promise<ListResult>;
  /**
   * Starts a watch: with the selected objects, or with the changes after the requested version.
   *
   * @param work its signal ends the attempt; used only where it is needed, because it may be created on demand
   * @throws StoreError Compacted when the history is known to be compacted; the client gets 410 as an event, not as a
   *   response code
   * @throws ApiError Timeout for a version in the future
   */
  watch(selection: EntrySelection, options: ListOptions, work: { readonly signal: AbortSignal }): Promise<WatchStart>;
}

/** Creates the reader of a served version. */
export type CreateReader = (source: ReadSource) => ResourceReader;

/**
 * Limit of events that wait for a client that reads slowly. When it is exceeded the server ends the watch, and the
 * client lists and watches again: memory stays bounded, and one slow client cannot delay the others.
 */
export const maxBuffered = 4096;
