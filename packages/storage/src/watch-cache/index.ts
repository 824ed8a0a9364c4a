export { CacheEntry, type EntryOptions } from "./cache-entry.ts";
export type {
  BookmarkEvent,
  CacheEvent,
  Described,
  FieldValue,
  LabelValue,
  ObjectEvent,
} from "./entry.ts";
export { withResourceVersion } from "./resource-version.ts";
export {
  type CacheListOptions,
  type CacheWatchOptions,
  type ListAndWatch,
  WatchCache,
  type WatchCacheCounts,
  type WatchCacheOptions,
} from "./watch-cache.ts";
export type { Selection, WatchEndReason, Watcher, WatcherOptions } from "./watcher.ts";
