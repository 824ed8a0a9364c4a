import type { Store } from "../store.ts";
import type { EtcdStoreOptions } from "./etcd-store.ts";

/**
 * Opens a store in etcd. The etcd client is loaded on the first call, so that a server with another engine does not pay for
 * its start-up time and memory.
 *
 * @throws StoreError
 */
export async function openEtcdStore(options: EtcdStoreOptions): Promise<Store> {
  const engine = await import("./etcd-store.ts");
  return engine.openEtcdStore(options);
}
