import type { EventLoop } from "@orchernetes/kernel";
import type { CacheEntry, Revision, Watcher } from "@orchernetes/storage";
import type { ObjectRef } from "../interfaces/index.ts";
import type { ListOptions } from "./list-options.ts";
import type { ObjectStorage, StoredObject } from "./object-storage.ts";
import type { EntrySelection } from "./selection.ts";

/** A list read from the cache or the store. Entries are immutable: the response may be written out at leisure. */
export interface ListResult {
  /** In the version's form. */
  readonly entries: readonly CacheEntry[];
  readonly revision: Revision;
  readonly continue: string | undefined;
  readonly remaining: number | undefined;
  readonly source: "cache" | "store";
  /** Objects that were looked at to find these. */
  readonly examined: number;
}

/** What a watch starts with. */
export interface WatchStart {
  readonly watcher: Watcher;
  /** Objects to send as ADDED first; in the stored form. */
  readonly initial: readonly CacheEntry[];
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
  /** All that are selected, as they are at present. In the form that is stored. */
  all(selection: EntrySelection): Promise<{ readonly entries: readonly CacheEntry[]; readonly revision: Revision }>;
  /** As {@link all}, perhaps a moment old if that is cheaper; at once if nothing has to be waited for. */
  recent(selection: EntrySelection): readonly CacheEntry[] | Promise<readonly CacheEntry[]>;
  /**
   * Reads a list as resourceVersion, resourceVersionMatch, limit and continue ask. Entries are in the version's form. Selectors look
   * at labels as they are stored, also where a webhook changes them between versions.
   * @throws ApiError Expired when the requested history was compacted, Timeout for the future
   */
  list(selection: EntrySelection, options: ListOptions, signal: AbortSignal): Promise<ListResult>;
  /**
   * @param work its signal ends the attempt; used only where it is needed, because it may be created on demand
   * @throws StoreError Compacted when the history is known to be compacted
   * @throws ApiError Timeout for the future
   */
  watch(selection: EntrySelection, options: ListOptions, work: { readonly signal: AbortSignal }): Promise<WatchStart>;
}

/** Makes the reader of a served version. */
export type CreateReader = (source: ReadSource) => ResourceReader;

/** Events that may wait for a client that reads slowly. */
export const maxBuffered = 4096;
