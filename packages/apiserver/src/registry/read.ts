import { ApiError, failure, resourceExpired, resourceVersionTooLarge } from "@orchernetes/apimachinery";
import { type CacheEntry, isStoreError, type Revision } from "@orchernetes/storage";
import { type ContinueToken, decodeContinue, encodeContinue } from "./continue-token.ts";
import type { ListOptions } from "./list-options.ts";
import type { ResourceCore } from "./resource-core.ts";
import type { EntrySelection } from "./selection.ts";

/** A list read from the cache or the store. Entries are immutable: the answer may be written out at leisure. */
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

const freshTimeoutMs = 3000;
/** Objects read from the store at a time when a filter makes the needed number unknown. */
const storePage = 500;
/** Reads of caches with more objects have a turn of the event loop each: one freshness check sets many of them going at once. */
const manyObjects = 2000;
/** Cached objects looked at, and those brought into another version's form, before the event loop gets its turn. */
const examinedPerTurn = 20_000;
const convertedPerTurn = 100;

/** Waits until the cache has `revision`. @throws ApiError Timeout "Too large resource version" */
export async function waitForRevision(core: ResourceCore, revision: Revision, signal?: AbortSignal): Promise<void> {
  const { cache } = core.storage;
  if (cache.isReady() && cache.revision >= revision) return;
  try {
    await cache.waitFor(revision, freshTimeoutMs, signal);
  } catch (error) {
    if (isStoreError(error, "Timeout")) throw resourceVersionTooLarge(String(revision), String(cache.revision));
    throw error;
  }
}

/** Waits until the cache has everything the store had at the time of the call. */
export async function waitFresh(core: ResourceCore, signal?: AbortSignal): Promise<void> {
  await core.storage.cache.waitFresh({ signal });
}

/**
 * Reads a list as resourceVersion, resourceVersionMatch, limit and continue ask: from the cache where its present state is what
 * is asked for, from the store's history otherwise.
 *
 * @throws ApiError Expired when that history is gone, Timeout for the future
 */
export async function readList(
  core: ResourceCore,
  selection: EntrySelection,
  options: ListOptions,
  signal: AbortSignal,
): Promise<ListResult> {
  const { resourceVersion: version, resourceVersionMatch: match, limit } = options;
  if (options.continue !== "") return continued(core, selection, decodeContinue(options.continue), limit, signal);
  const exact = match === "Exact" || (match === "" && limit > 0 && version !== undefined && version !== 0);
  if (exact && version !== undefined) {
    if (version > core.storage.cache.revision) await waitFresh(core, signal);
    if (version > core.storage.cache.revision) {
      throw resourceVersionTooLarge(String(version), String(core.storage.cache.revision));
    }
    return fromStore(core, selection, { revision: version, after: "" }, limit, signal);
  }
  if (version === undefined) await waitFresh(core, signal);
  else if (version === 0) await core.storage.cache.ready();
  else await waitForRevision(core, version, signal);
  const { cache, bigReads } = core.storage;
  if (cache.size > manyObjects && selection.name === undefined && selection.fieldIndex === undefined)
    await bigReads.next();
  // From the cache "whatever you have" is given whole, as clients of it expect.
  return fromCache(core, selection, version === 0 ? 0 : limit);
}

/** All of one moment: what the cache gave stays as it is, however long it takes to look through it. */
async function fromCache(core: ResourceCore, selection: EntrySelection, limit: number): Promise<ListResult> {
  const { cache } = core.storage;
  const revision = cache.revision;
  const all = candidates(core, selection);
  const { matches, name } = selection;
  const found: CacheEntry[] = [];
  let last: CacheEntry | undefined;
  let more = false;
  let seen = 0;
  if (core.direct && matches === undefined && name === undefined && limit === 0) {
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
    if (seen % examinedPerTurn === examinedPerTurn - 1) await core.environment.loop.nextTurn();
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
    found.push(core.entry(entry));
    if (!core.direct && found.length % convertedPerTurn === 0) await core.environment.loop.nextTurn();
  }
  const read = { entries: found, revision, source: "cache", examined: seen } as const;
  if (!more || last === undefined) return { ...read, continue: undefined, remaining: undefined };
  return {
    ...read,
    continue: encodeContinue({ revision, after: last.key.slice(core.storage.listPrefix(selection.namespace).length) }),
    remaining: selection.unfiltered ? all.length - seen : undefined,
  };
}

/** The smallest cached superset of what is selected. */
function candidates(core: ResourceCore, selection: EntrySelection): readonly CacheEntry[] {
  const { cache, namespaced } = core.storage;
  const { namespace, name } = selection;
  if (name !== undefined && (!namespaced || namespace !== undefined)) {
    const entry = cache.get(namespaced ? (namespace ?? "") : "", name);
    return entry === undefined ? [] : [entry];
  }
  return cache.list(selection);
}

async function continued(
  core: ResourceCore,
  selection: EntrySelection,
  token: ContinueToken,
  limit: number,
  signal: AbortSignal,
): Promise<ListResult> {
  if (token.revision !== -1) return fromStore(core, selection, { ...token, revision: token.revision }, limit, signal);
  await waitFresh(core, signal);
  return fromStore(core, selection, { ...token, revision: core.storage.cache.revision }, limit, signal);
}

function fromStore(
  core: ResourceCore,
  selection: EntrySelection,
  start: { readonly revision: Revision; readonly after: string },
  limit: number,
  signal: AbortSignal,
): Promise<ListResult> {
  return listStored(core, selection, start, limit, signal, true);
}

/**
 * Reads what is selected from the store.
 *
 * @param start the revision to read at (undefined: the present one), and the key to go on after ("": from the beginning)
 * @param view whether entries are in the version's form, or in the one that is stored. @default false
 * @throws ApiError Expired when the revision is gone
 */
export async function listStored(
  core: ResourceCore,
  selection: EntrySelection,
  start: { readonly revision: Revision | undefined; readonly after: string },
  limit: number,
  signal: AbortSignal,
  view = false,
): Promise<ListResult> {
  const { storage } = core;
  const prefix = storage.listPrefix(selection.namespace);
  let { revision } = start;
  const found: CacheEntry[] = [];
  const { matches, name, unfiltered } = selection;
  let after = start.after === "" ? undefined : prefix + start.after;
  let examined = 0;
  try {
    for (;;) {
      const pageLimit = limit > 0 && unfiltered ? limit : storePage;
      const page = await storage.list(selection.namespace, {
        limit: pageLimit,
        signal,
        ...(revision === undefined ? {} : { revision }),
        ...(after === undefined ? {} : { after }),
      });
      // All pages are of the first one's moment.
      revision ??= page.revision;
      for (const [index, { key, value, modRevision, createRevision }] of page.items.entries()) {
        const entry = storage.entryOf(key, value, modRevision, createRevision);
        after = key;
        examined++;
        if (name !== undefined && entry.name !== name) continue;
        if (matches !== undefined && !matches(entry)) continue;
        found.push(view ? core.entry(entry) : entry);
        const rest = page.items.length - index - 1;
        if (limit > 0 && found.length === limit && (rest > 0 || page.more)) {
          const remaining = unfiltered && page.remaining !== undefined ? page.remaining + rest : undefined;
          return {
            entries: found,
            revision,
            continue: encodeContinue({ revision, after: key.slice(prefix.length) }),
            remaining,
            source: "store",
            examined,
          };
        }
      }
      if (!page.more)
        return { entries: found, revision, continue: undefined, remaining: undefined, source: "store", examined };
      await core.environment.loop.nextTurn();
    }
  } catch (error) {
    if (isStoreError(error, "Compacted")) throw expired(start.after);
    throw error;
  }
}

/** 410 for a page whose revision is gone; the token in it goes on at the present. */
function expired(after: string): ApiError {
  if (after === "") return resourceExpired("The resourceVersion for the provided list is too old.");
  const message =
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without the " +
    "continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with " +
    "the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time " +
    "the first chunk was returned and now may show up in the list.";
  const status = failure("Expired", message);
  return new ApiError({ ...status, metadata: { continue: encodeContinue({ revision: -1, after }) } });
}
