import type { CacheEntry } from "@orchernetes/storage";
import { readList, waitForRevision, waitFresh } from "./read.ts";
import { maxBuffered, type ReadPath } from "./read-path.ts";
import type { ResourceCore } from "./resource-core.ts";
import type { EntrySelection } from "./selection.ts";

/** Reads from the watch cache, after it has caught up with what is asked for. */
export const cacheReads: ReadPath = {
  async get(core, ref, version, work) {
    const { storage } = core;
    if (version === undefined) await storage.cache.waitFresh(work);
    else if (version === 0) await storage.cache.ready();
    else await waitForRevision(core, version, work?.signal);
    return storage.peek(ref);
  },
  async all(core, selection) {
    await waitFresh(core);
    return { entries: selected(core, selection), revision: core.storage.cache.revision };
  },
  recent: selected,
  list: readList,
  async watch(core, selection, options, work) {
    const { cache } = core.storage;
    const { resourceVersion: version, sendInitialEvents } = options;
    if (version === undefined) await cache.waitFresh(work);
    else if (version === 0) await cache.ready();
    else if (!cache.isReady() || cache.revision < version) await waitForRevision(core, version, work.signal);
    const wanted = { ...selection, bookmarks: options.allowWatchBookmarks, maxBuffered };
    const fromList = sendInitialEvents ?? (version === undefined || version === 0);
    if (fromList) {
      const { entries, revision, watcher } = cache.listAndWatch(wanted);
      return { watcher, initial: entries, revision };
    }
    const after = version === undefined || version === 0 ? cache.revision : version;
    return { watcher: cache.watch({ ...wanted, after }), initial: [], revision: after };
  },
};

/** What the cache has of a selection. */
export function selected(core: ResourceCore, selection: EntrySelection): readonly CacheEntry[] {
  const { name, matches } = selection;
  const entries = core.storage.cache.list(selection);
  if (name === undefined && matches === undefined) return entries;
  return entries.filter((entry) => (name === undefined || entry.name === name) && (matches?.(entry) ?? true));
}
