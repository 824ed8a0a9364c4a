import type { Store } from "../store.ts";
import type { EtcdStoreOptions } from "./etcd-store.ts";

/**
 * Opens a store in etcd. The etcd client and gRPC are loaded on the first call: a server with another engine is spared
 * their start-up time and memory.
 *
 * @throws StoreError
 */
export async function openEtcdStore(options: EtcdStoreOptions): Promise<Store> {
  const engine = await import("./etcd-store.ts");
  return engine.openEtcdStore(options);
}
