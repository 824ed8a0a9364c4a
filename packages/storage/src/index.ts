/**
 * The storage of the API server: the {@link Store} interface, its two engines, and the watch cache that serves reads from memory.
 *
 * - A {@link Store} is a key-value store with a linear history, the subset of etcd that the API needs: reads at a revision,
 *   transactions that compare revisions, watches without gaps, and compaction. Every rejection is a {@link StoreError}.
 * - {@link openEmbeddedStore} keeps the data in a directory (lmdb) for one process; {@link openEtcdStore} uses an etcd cluster. Both
 *   pass the same suite, `storeContract` in `@orchernetes/storage/testing`.
 * - {@link WatchCache} keeps all objects of one resource in memory as JSON bytes, and follows the store.
 * - {@link encryptStore} is a view of a store that encrypts values at rest.
 *
 * @example
 * ```ts
 * import { asRevision, openEmbeddedStore } from "@orchernetes/storage";
 *
 * const store = await openEmbeddedStore({ path: "/var/lib/orch/store" });
 * const { revision: after } = await store.commit(
 *   [{ key: "/registry/pods/default/web", modRevision: asRevision(0) }], // the key must not exist
 *   [{ type: "put", key: "/registry/pods/default/web", value: Buffer.from("{}") }],
 * );
 * const signal = AbortSignal.timeout(60_000);
 * for await (const { changes, revision } of store.watch("/registry/pods/", { after, signal })) {
 *   console.log(revision, changes.length);
 * }
 * ```
 *
 * @module
 */
export { type StoreWatchOptions, watchStore } from "./direct-watch/store-watcher.ts";
export * from "./embedded/index.ts";
export { aesCbc, aesGcm, identity, type NamedKey, secretbox } from "./encryption/ciphers.ts";
export { encryptStore } from "./encryption/encrypting-store.ts";
export { KmsProvider, type KmsProviderOptions } from "./encryption/kms-provider.ts";
export type { KmsObserver, KmsService } from "./encryption/kms-service.ts";
export { KmsV1Provider, type KmsV1ProviderOptions } from "./encryption/kms-v1-provider.ts";
export { encryptedPrefix, ProviderChain } from "./encryption/provider-chain.ts";
export type { Plain, Provider, ValueTransformer } from "./encryption/transformer.ts";
export * from "./errors.ts";
export * from "./etcd/index.ts";
export * from "./observed-store.ts";
export * from "./revision.ts";
export * from "./store.ts";
export { CacheEntry, type EntryOptions } from "./watch-cache/cache-entry.ts";
export type {
  BookmarkEvent,
  CacheEvent,
  Described,
  FieldValue,
  LabelValue,
  ObjectEvent,
} from "./watch-cache/entry.ts";
export { withResourceVersion } from "./watch-cache/resource-version.ts";
export {
  type CacheListOptions,
  type CacheWatchOptions,
  type ListAndWatch,
  WatchCache,
  type WatchCacheCounts,
  type WatchCacheOptions,
} from "./watch-cache/watch-cache.ts";
export type { Selection, WatchEndReason, Watcher, WatcherOptions } from "./watch-cache/watcher.ts";
