import { resourceVersionTooLarge } from "@orchernetes/apimachinery";
import { type CacheEntry, isStoreError, type Revision } from "@orchernetes/storage";
import type { ObjectRef } from "../interfaces/index.ts";
import { type ContinueToken, decodeContinue, encodeContinue } from "./continue-token.ts";
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

const freshTimeoutMs = 3000;
/** Reads of caches with more objects have a turn of the event loop each: one freshness check sets many of them going at once. */
const manyObjects = 2000;
/** Cached objects looked at before the event loop gets its turn. */
const examinedPerTurn = 20_000;

/** Reads from the watch cache, after it has caught up with the requested revision. */
export class CacheReader implements ResourceReader {
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
    if (version === undefined) await storage.cache.waitFresh(work);
    else if (version === 0) await storage.cache.ready();
    else await this.#waitFor(version, work?.signal);
    return storage.peek(ref);
  }

  async all(selection: EntrySelection): ReturnType<ResourceReader["all"]> {
    const { cache } = this.#source.storage;
    await cache.waitFresh({});
    return { entries: cachedEntries(cache, selection), revision: cache.revision };
  }

  recent(selection: EntrySelection): readonly CacheEntry[] {
    return cachedEntries(this.#source.storage.cache, selection);
  }

  /** From the cache if its current state is requested, from the store's history otherwise. */
  async list(selection: EntrySelection, options: ListOptions, signal: AbortSignal): Promise<ListResult> {
    const { cache, bigReads } = this.#source.storage;
    const { resourceVersion: version, resourceVersionMatch: match, limit } = options;
    if (options.continue !== "") return this.#continued(selection, decodeContinue(options.continue), limit, signal);
    const exact = match === "Exact" || (match === "" && limit > 0 && version !== undefined && version !== 0);
    if (exact && version !== undefined) {
      if (version > cache.revision) await cache.waitFresh({ signal });
      if (version > cache.revision) throw resourceVersionTooLarge(String(version), String(cache.revision));
      return listStored(this.#source, selection, { revision: version, after: "" }, limit, signal, true);
    }
    if (version === undefined) await cache.waitFresh({ signal });
    else if (version === 0) await cache.ready();
    else await this.#waitFor(version, signal);
    if (cache.size > manyObjects && selection.name === undefined && selection.fieldIndex === undefined)
      await bigReads.next();
    // From the cache "whatever you have" is given whole, as clients of it expect.
    return listCached(this.#source, selection, version === 0 ? 0 : limit, signal);
  }

  async watch(
    selection: EntrySelection,
    options: ListOptions,
    work: { readonly signal: AbortSignal },
  ): Promise<WatchStart> {
    const { cache } = this.#source.storage;
    const { resourceVersion: version, sendInitialEvents } = options;
    if (version === undefined) await cache.waitFresh(work);
    else if (version === 0) await cache.ready();
    else if (!cache.isReady() || cache.revision < version) await this.#waitFor(version, work.signal);
    const wanted = { ...selection, bookmarks: options.allowWatchBookmarks, maxBuffered };
    const fromList = sendInitialEvents ?? (version === undefined || version === 0);
    if (fromList) {
      const { entries, revision, watcher } = cache.listAndWatch(wanted);
      return { watcher, initial: entries, revision };
    }
    const after = version === undefined || version === 0 ? cache.revision : version;
    return { watcher: cache.watch({ ...wanted, after }), initial: [], revision: after };
  }

  /** Waits until the cache has `revision`. @throws ApiError Timeout "Too large resource version" */
  async #waitFor(revision: Revision, signal?: AbortSignal): Promise<void> {
    const { cache } = this.#source.storage;
    if (cache.isReady() && cache.revision >= revision) return;
    try {
      await cache.waitFor(revision, freshTimeoutMs, signal);
    } catch (error) {
      if (isStoreError(error, "Timeout")) throw resourceVersionTooLarge(String(revision), String(cache.revision));
      throw error;
    }
  }

  async #continued(
    selection: EntrySelection,
    { revision, after }: ContinueToken,
    limit: number,
    signal: AbortSignal,
  ): Promise<ListResult> {
    const { cache } = this.#source.storage;
    if (revision === -1) await cache.waitFresh({ signal });
    const at = revision === -1 ? cache.revision : revision;
    return listStored(this.#source, selection, { revision: at, after }, limit, signal, true);
  }
}

/** All of one moment: what the cache gave stays as it is, however long it takes to look through it. */
async function listCached(
  source: ReadSource,
  selection: EntrySelection,
  limit: number,
  signal: AbortSignal,
): Promise<ListResult> {
  const { cache } = source.storage;
  const revision = cache.revision;
  const all = candidates(source, selection);
  const { matches, name } = selection;
  const found: CacheEntry[] = [];
  let last: CacheEntry | undefined;
  let more = false;
  let seen = 0;
  if (source.direct && matches === undefined && name === undefined && limit === 0) {
    return {
      entries: all,
      revision,
      continue: undefined,
      remaining: undefined,
      source: "cache",
      examined: all.length,
    };
  }
  for (const entry of all) {
    if (seen % examinedPerTurn === examinedPerTurn - 1) await source.environment.loop.nextTurn();
    if ((name !== undefined && entry.name !== name) || (matches !== undefined && !matches(entry))) {
      seen++;
      continue;
    }
    if (limit > 0 && found.length === limit) {
      more = true;
      break;
    }
    seen++;
    last = entry;
    found.push(entry);
  }
  const entries = source.direct ? found : await source.entries(found, { signal });
  const read = { entries, revision, source: "cache", examined: seen } as const;
  if (!more || last === undefined) return { ...read, continue: undefined, remaining: undefined };
  return {
    ...read,
    continue: encodeContinue({
      revision,
      after: last.key.slice(source.storage.listPrefix(selection.namespace).length),
    }),
    remaining: selection.unfiltered ? all.length - seen : undefined,
  };
}

/** The smallest cached superset of what is selected. */
function candidates(source: ReadSource, selection: EntrySelection): readonly CacheEntry[] {
  const { cache, namespaced } = source.storage;
  const { namespace, name } = selection;
  if (name !== undefined && (!namespaced || namespace !== undefined)) {
    const entry = cache.get(namespaced ? (namespace ?? "") : "", name);
    return entry === undefined ? [] : [entry];
  }
  return cache.list(selection);
}
