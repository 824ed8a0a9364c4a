import { cacheReads } from "./cache-reads.ts";
import type { ReadPath } from "./read-path.ts";
import { storeReads } from "./store-reads.ts";

/**
 * Reads from the watch cache, but watches that name no resourceVersion are served from the store: they start with what is there
 * at this moment, at the store's expense (gate WatchFromStorageWithoutResourceVersion).
 */
export const presentWatches: ReadPath = {
  ...cacheReads,
  watch(core, selection, options, work) {
    const present = options.resourceVersion === undefined && options.sendInitialEvents === undefined;
    return (present ? storeReads : cacheReads).watch(core, selection, options, work);
  },
};
