import { CacheReader } from "./cache-reader.ts";
import type { CreateReader, ResourceReader } from "./resource-reader.ts";
import { StoreReader } from "./store-reader.ts";

/** Where a resource is read from. */
export interface ReadPolicy {
  /**
   * From the watch cache; otherwise every read goes to the store (`--watch-cache`, `--watch-cache-sizes` with size 0).
   */
  readonly cached: boolean;
  /**
   * Watches that name no resourceVersion are served from the store nevertheless: they start with what is there at this moment, at
   * the store's expense (gate WatchFromStorageWithoutResourceVersion).
   */
  readonly watchFromStorage: boolean;
}

/**
 * Returns the function that creates the reader of a resource. The decision is made once per resource, not per request.
 */
export function readerFor({ cached, watchFromStorage }: ReadPolicy): CreateReader {
  if (!cached) return (source) => new StoreReader(source);
  if (!watchFromStorage) return (source) => new CacheReader(source);
  return (source) => {
    const cache = new CacheReader(source);
    const store = new StoreReader(source);
    const reader: ResourceReader = {
      get: (ref, version, work) => cache.get(ref, version, work),
      all: (selection) => cache.all(selection),
      recent: (selection) => cache.recent(selection),
      list: (selection, options, signal) => cache.list(selection, options, signal),
      watch(selection, options, work) {
        const present = options.resourceVersion === undefined && options.sendInitialEvents === undefined;
        return (present ? store : cache).watch(selection, options, work);
      },
    };
    return reader;
  };
}
