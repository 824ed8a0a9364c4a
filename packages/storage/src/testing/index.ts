/**
 * Fixtures for tests of this package and of its users: a real etcd, a key management service, and the suite that
 * every store must pass.
 *
 * @example
 * ```ts
 * import { etcdAvailable, startEtcd } from "@orchernetes/storage/testing";
 *
 * if (etcdAvailable()) {
 *   const etcd = await startEtcd({ unsafeNoFsync: true });
 *   console.log(etcd.url);
 *   await etcd.stop();
 * }
 * ```
 *
 * @module
 */

export { etcdAvailable, type RunningEtcd, type StartEtcdOptions, startEtcd } from "./start-etcd.ts";
export { type KmsPlugin, type KmsPluginBehaviour, startKmsPlugin } from "./start-kms-plugin.ts";
export {
  type Collected,
  collect,
  type StoreContractOptions,
  type StoreUnderTest,
  storeContract,
} from "./store-contract.ts";
