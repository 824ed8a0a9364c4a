export type { EtcdStoreOptions } from "./etcd-store.ts";
export { openEtcdStore } from "./open-etcd-store.ts";
