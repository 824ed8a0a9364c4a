import { resourceVersionTooLarge } from "@orchernetes/apimachinery";
import { type CacheEntry, isStoreError, type Revision } from "@orchernetes/storage";
import type { ObjectRef } from "../interfaces/index.ts";
import { decodeContinue } from "./continue-token.ts";
import type { ListOptions } from "./list-options.ts";
import type { StoredObject } from "./object-storage.ts";
import {
  type ListResult,
  maxBuffered,
  type ReadSource,
  type ResourceReader,
  type WatchStart,
} from "./resource-reader.ts";
import { cachedEntries, type EntrySelection } from "./selection.ts";
import { listStored } from "./stored-list.ts";

/** Checks that the store has reached a version that a client names. @throws ApiError Timeout */
function mustHave(version: Revision | undefined, present: Revision): void {
  if (version !== undefined && version > present) throw resourceVersionTooLarge(String(version), String(present));
}

/**
 * Where a list begins, according to its options; without a revision it reads the current one. The rules for exact
 * versions are those of `CacheReader.list`.
 */
function startOf(options: ListOptions): { readonly revision: Revision | undefined; readonly after: string } {
  const { resourceVersion: version, resourceVersionMatch: match, limit } = options;
  if (options.continue !== "") {
    const { revision, after } = decodeContinue(options.continue);
    return { revision: revision === -1 ? undefined : revision, after };
  }
  const exact = match === "Exact" || (match === "" && limit > 0 && version !== undefined && version !== 0);
  return { revision: exact ? version : undefined, after: "" };
}

const fromTheStart = { revision: undefined, after: "" } as const;

/**
 * Reads from the store, without a cache in between. Every read is linearizable, so any version that a client asks for
 * is fresh enough and `resourceVersion=0` is an ordinary read. Each list decodes the objects that it examines, and each
 * watch is a stream of the store: for resources that are written often and read rarely, such as events.
 */
export class StoreReader implements ResourceReader {
  readonly #source: ReadSource;

  constructor(source: ReadSource) {
    this.#source = source;
  }

  async get(
    ref: ObjectRef,
    version: Revision | undefined,
    work?: { readonly signal?: AbortSignal | undefined },
  ): Promise<StoredObject | undefined> {
    const { storage } = this.#source;
    if (version !== undefined && version !== 0) mustHave(version, await storage.revision());
    return storage.read(ref, work?.signal);
  }

  async all(selection: EntrySelection): ReturnType<ResourceReader["all"]> {
    const { signal } = this.#source.environment;
    const { entries, revision } = await listStored(this.#source, selection, fromTheStart, 0, signal);
    return { entries, revision };
  }

  recent(selection: EntrySelection): readonly CacheEntry[] | Promise<readonly CacheEntry[]> {
    // There is a cache if a part of the server follows the resource.
    const { cache } = this.#source.storage;
    if (cache.isReady()) return cachedEntries(cache, selection);
    return this.all(selection).then(({ entries }) => entries);
  }

  async list(selection: EntrySelection, options: ListOptions, signal: AbortSignal): Promise<ListResult> {
    const start = startOf(options);
    let list: ListResult;
    try {
      list = await listStored(this.#source, selection, start, options.limit, signal, true);
    } catch (error) {
      if (!isStoreError(error, "FutureRevision")) throw error;
      throw resourceVersionTooLarge(String(start.revision), String(await this.#source.storage.revision()));
    }
    mustHave(options.resourceVersion, list.revision);
    return list;
  }

  async watch(
    selection: EntrySelection,
    options: ListOptions,
    { signal }: { readonly signal: AbortSignal },
  ): Promise<WatchStart> {
    const { storage } = this.#source;
    const { resourceVersion: version, sendInitialEvents } = options;
    const fromList = sendInitialEvents ?? (version === undefined || version === 0);
    const wanted = { ...selection, bookmarks: options.allowWatchBookmarks, maxBuffered };
    if (fromList) {
      const { entries, revision } = await listStored(this.#source, selection, fromTheStart, 0, signal);
      mustHave(version, revision);
      const watcher = storage.watch({ ...wanted, after: revision, present: revision });
      return { watcher, initial: entries, revision };
    }
    const present = await storage.revision();
    mustHave(version, present);
    const after = version === undefined || version === 0 ? present : version;
    return { watcher: storage.watch({ ...wanted, after, present }), initial: [], revision: after };
  }
}
