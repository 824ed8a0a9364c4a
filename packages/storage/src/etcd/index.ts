import type { Store } from "../store.ts";
import type { EtcdStoreOptions } from "./etcd-store.ts";

export type { EtcdStoreOptions } from "./etcd-store.ts";

/**
 * Opens a store in etcd. The first call loads the engine, so that a server that uses the embedded store does not load
 * the clients of etcd3.
 *
 * @throws StoreError `Unavailable` or `Timeout` if no server responds in time, `Corrupt` for the rest of an
 *   interrupted migration
 */
export async function openEtcdStore(options: EtcdStoreOptions): Promise<Store> {
  return (await import("./etcd-store.ts")).openEtcdStore(options);
}
