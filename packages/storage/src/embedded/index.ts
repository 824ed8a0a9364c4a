import type { Store } from "../store.ts";
import type { EmbeddedStoreOptions } from "./embedded-store.ts";

export type { EmbeddedStoreOptions } from "./embedded-store.ts";

/**
 * Opens the store in a directory, for exclusive use by this process. The first revision of a new store is 1. The
 * first call loads the engine, so that a server that uses etcd does not load lmdb.
 *
 * @throws StoreError `Unavailable` if another process has it open or the directory cannot be used, `NoSpace` if there
 *   is no space for a new one, `Corrupt` if its format is unknown
 */
export async function openEmbeddedStore(options: EmbeddedStoreOptions): Promise<Store> {
  return (await import("./embedded-store.ts")).openEmbeddedStore(options);
}
