import type { CacheEntry, Revision, Watcher } from "@orchernetes/storage";
import type { ObjectRef } from "../interfaces/index.ts";
import type { ListOptions } from "./list-options.ts";
import type { StoredObject } from "./object-storage.ts";
import type { ListResult } from "./read.ts";
import type { ResourceCore } from "./resource-core.ts";
import type { EntrySelection } from "./selection.ts";

/** What a watch starts with. */
export interface WatchStart {
  readonly watcher: Watcher;
  /** Objects to send as ADDED first. */
  readonly initial: readonly CacheEntry[];
  readonly revision: Revision;
}

/** Where reads and watches of a stored resource are served from: its watch cache, or the store itself (`--watch-cache`). */
export interface ReadPath {
  /**
   * The object as of `version` or later; undefined: the present one, 0: whatever is at hand. In the form that is stored.
   * @param work its signal ends the read; asked for only where it is needed, as it may be made on demand
   * @throws ApiError Timeout "Too large resource version"
   */
  get(
    core: ResourceCore,
    ref: ObjectRef,
    version: Revision | undefined,
    work?: { readonly signal?: AbortSignal | undefined },
  ): Promise<StoredObject | undefined>;
  /** All that are selected, as they are at present. In the form that is stored. */
  all(
    core: ResourceCore,
    selection: EntrySelection,
  ): Promise<{ readonly entries: readonly CacheEntry[]; readonly revision: Revision }>;
  /** As {@link all}, perhaps a moment old if that is cheaper; at once if nothing has to be waited for. */
  recent(core: ResourceCore, selection: EntrySelection): readonly CacheEntry[] | Promise<readonly CacheEntry[]>;
  /**
   * Reads a list as resourceVersion, resourceVersionMatch, limit and continue ask. Entries are in the version's form.
   * @throws ApiError Expired when the history asked for is gone, Timeout for the future
   */
  list(core: ResourceCore, selection: EntrySelection, options: ListOptions, signal: AbortSignal): Promise<ListResult>;
  /**
   * @param work its signal ends the attempt; asked for only where it is needed, as it may be made on demand
   * @throws StoreError Compacted when the past is known to be gone
   * @throws ApiError Timeout for the future
   */
  watch(
    core: ResourceCore,
    selection: EntrySelection,
    options: ListOptions,
    work: { readonly signal: AbortSignal },
  ): Promise<WatchStart>;
}

/** Events that may wait for a client that reads slowly. */
export const maxBuffered = 4096;
