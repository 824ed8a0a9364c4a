export { type StoreWatchOptions, watchStore } from "./store-watcher.ts";
