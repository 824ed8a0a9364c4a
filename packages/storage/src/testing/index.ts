/** @module For tests of this package and of its users: a real etcd, and the suite that every store has to pass. */

export { etcdAvailable, type RunningEtcd, type StartEtcdOptions, startEtcd } from "./start-etcd.ts";
export { type KmsPlugin, type KmsPluginBehaviour, startKmsPlugin } from "./start-kms-plugin.ts";
export {
  type Collected,
  collect,
  type StoreContractOptions,
  type StoreUnderTest,
  storeContract,
} from "./store-contract.ts";
