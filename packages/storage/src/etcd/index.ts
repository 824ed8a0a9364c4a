export { type EtcdStoreOptions, openEtcdStore } from "./etcd-store.ts";
