/** @module The Store interface, its two engines, and the watch cache that serves reads from memory. */
export * from "./direct-watch/index.ts";
export * from "./embedded/index.ts";
export * from "./encryption/index.ts";
export * from "./errors.ts";
export * from "./etcd/index.ts";
export * from "./observed-store.ts";
export * from "./revision.ts";
export * from "./store.ts";
export * from "./watch-cache/index.ts";
