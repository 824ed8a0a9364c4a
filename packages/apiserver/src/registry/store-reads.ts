import { resourceVersionTooLarge } from "@orchernetes/apimachinery";
import { type CacheEntry, isStoreError, type Revision } from "@orchernetes/storage";
import { selected } from "./cache-reads.ts";
import { decodeContinue } from "./continue-token.ts";
import type { ListOptions } from "./list-options.ts";
import { type ListResult, listStored } from "./read.ts";
import { maxBuffered, type ReadPath } from "./read-path.ts";

/** @throws ApiError Timeout if the store has not come as far */
function mustHave(version: Revision | undefined, present: Revision): void {
  if (version !== undefined && version > present) throw resourceVersionTooLarge(String(version), String(present));
}

/** Where a list begins, by its options; a revision that is not given is the present one. */
function startOf(options: ListOptions): { readonly revision: Revision | undefined; readonly after: string } {
  const { resourceVersion: version, resourceVersionMatch: match, limit } = options;
  if (options.continue !== "") {
    const { revision, after } = decodeContinue(options.continue);
    return { revision: revision === -1 ? undefined : revision, after };
  }
  const exact = match === "Exact" || (match === "" && limit > 0 && version !== undefined && version !== 0);
  return { revision: exact ? version : undefined, after: "" };
}

/**
 * Reads straight from the store, every one of them: for resources without a watch cache. Any present state is fresh enough, so
 * `resourceVersion=0` is a plain read here.
 */
export const storeReads: ReadPath = {
  async get(core, ref, version, work) {
    if (version !== undefined && version !== 0) mustHave(version, await core.storage.revision());
    return core.storage.read(ref, work?.signal);
  },
  async all(core, selection) {
    const { signal } = core.environment;
    const { entries, revision } = await listStored(core, selection, { revision: undefined, after: "" }, 0, signal);
    return { entries, revision };
  },
  recent(core, selection): readonly CacheEntry[] | Promise<readonly CacheEntry[]> {
    // One is kept if a part of the server follows the resource.
    if (core.storage.cache.isReady()) return selected(core, selection);
    return storeReads.all(core, selection).then(({ entries }) => entries);
  },
  async list(core, selection, options, signal) {
    const start = startOf(options);
    let list: ListResult;
    try {
      list = await listStored(core, selection, start, options.limit, signal, true);
    } catch (error) {
      if (!isStoreError(error, "FutureRevision")) throw error;
      throw resourceVersionTooLarge(String(start.revision), String(await core.storage.revision()));
    }
    mustHave(options.resourceVersion, list.revision);
    return list;
  },
  async watch(core, selection, options, { signal }) {
    const { storage } = core;
    const { resourceVersion: version, sendInitialEvents } = options;
    const fromList = sendInitialEvents ?? (version === undefined || version === 0);
    const wanted = { ...selection, bookmarks: options.allowWatchBookmarks, maxBuffered };
    if (fromList) {
      const start = { revision: undefined, after: "" };
      const { entries, revision } = await listStored(core, selection, start, 0, signal);
      mustHave(version, revision);
      const watcher = storage.watch({ ...wanted, after: revision, present: revision });
      return { watcher, initial: entries, revision };
    }
    const present = await storage.revision();
    mustHave(version, present);
    const after = version === undefined || version === 0 ? present : version;
    return { watcher: storage.watch({ ...wanted, after, present }), initial: [], revision: after };
  },
};
