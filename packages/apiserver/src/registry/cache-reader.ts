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

/**
 * How long a read waits until the cache has reached the requested revision, in milliseconds. Then it gets 504 "Too
 * large resource version", which clients retry. Upstream's watch cache waits as long (`blockTimeout`).
 */
const freshTimeoutMs = 3000;
/**
 * Caches with more objects than this are read in turns of the event loop, one read each. One freshness check can
 * complete hundreds of waiting lists at the same moment, and without turns they would all be filtered before anything
 * else runs.
 */
const manyObjects = 2000;
/** Cached objects that a list examines before it yields to the event loop: a few milliseconds of work. */
const examinedPerTurn = 20_000;

/**
 * Reads from the watch cache, after it has caught up with the requested revision.
 *
 * What a resourceVersion means for a read (API concepts, "Resource versions"):
 *
 *  | resourceVersion | what the cache does |
 *  | --- | --- |
 *  | none | waits until it has the revision that the store has now, so that the read is linearizable |
 *  | 0 | answers with what it has, however old |
 *  | another | waits until it has at least that revision; with `Exact`, the list is read from the store's history |
 *
 * Resource versions are compared as numbers. Clients must not do that (to them they are opaque), but the server may: a
 * version is the revision of the store, which counts all transactions of a store and never decreases.
 *
 * The freshness check costs no read of objects: the store reports its current revision (etcd: a linearizable read,
 * shared by all requests that wait at the same time), and the cache waits until its watch stream has passed it.
 * Upstream reads such lists from etcd instead.
 */
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

  /**
   * Serves the current state from the cache, and an earlier one from the store's history: exact versions, and further
   * pages, which must show the objects as they were when the first page was read.
   *
   * A `limit` together with a version (other than 0) means an exact version, if `resourceVersionMatch` is not given;
   * upstream keeps that for clients that are older than the parameter.
   */
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
    // With `resourceVersion=0` the limit is ignored, as in upstream's watch cache: reflectors of clients depend on
    // getting one whole list.
    return listCached(this.#source, selection, version === 0 ? 0 : limit, signal);
  }

  /**
   * Starts a watch at the requested revision.
   *
   * Without a version, or with 0, the watch starts with the objects that exist, as ADDED events; list and watch are
   * taken in the same turn of the event loop, so that no change is lost or seen twice between them. Any other version
   * starts with the changes after it.
   */
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

  /**
   * Waits until the cache has `revision`, up to {@link freshTimeoutMs}. @throws ApiError Timeout "Too large resource
   * version"
   */
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

  /**
   * Reads a further page from the store, at the revision in its token. Token revision -1 ("continue at the current
   * state", given to clients whose page has expired) first waits for the cache only to learn the current revision.
   */
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

/**
 * Lists from the cache. The array and its entries are immutable: changes that arrive while this function yields create
 * new ones, so the whole list is of one moment and one revision, however long it takes to examine it.
 *
 * Without a selector and limit the cache's own array is the result; nothing is copied or examined.
 */
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

/**
 * The smallest set of cached entries that contains all selected ones: one object by name, or an index's entries, or a
 * namespace's.
 */
function candidates(source: ReadSource, selection: EntrySelection): readonly CacheEntry[] {
  const { cache, namespaced } = source.storage;
  const { namespace, name } = selection;
  if (name !== undefined && (!namespaced || namespace !== undefined)) {
    const entry = cache.get(namespaced ? (namespace ?? "") : "", name);
    return entry === undefined ? [] : [entry];
  }
  return cache.list(selection);
}
