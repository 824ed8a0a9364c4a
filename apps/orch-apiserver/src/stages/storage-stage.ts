import type { ResourceDefinition } from "@orchernetes/apimachinery";
import type { Check } from "@orchernetes/component";
import type { Store } from "@orchernetes/storage";
import { encryptionMetrics } from "../metrics/encryption-metrics.ts";
import { storeRequestMetrics } from "../metrics/store-metrics.ts";
import { openEncryption } from "../storage/encryption.ts";
import { storeChecks } from "../storage/store-checks.ts";
import { openStores, type Stores } from "../storage/stores.ts";
import type { ServerProcess } from "./process.ts";

/** The stores of objects. */
export interface StorageStage {
  readonly stores: Stores;
  /** Returns the store of a resource. Its requests are measured, and its values are encrypted if the configuration says so. */
  storeFor(definition: ResourceDefinition): Store;
  /** Checks whether each engine responds. */
  readonly engineChecks: readonly Check[];
  /** Those checks, and those of the key services of encryption. */
  readonly checks: readonly Check[];
}

/** Opens the stores and the encryption of values. It comes first, because everything else reads or writes objects. @throws StoreError */
export async function openStorage({
  config,
  flags,
  logger,
  loop,
  metrics,
  tracer,
  egress,
  ended,
}: ServerProcess): Promise<StorageStage> {
  const stores = await openStores(config.store, { logger, loop, dial: egress.dialer("etcd") });
  const observed = storeRequestMetrics(metrics, tracer);
  const encryption = await openEncryption(
    flags,
    { logger, metrics: encryptionMetrics(metrics), kmsV2: config.featureEnabled("KMSv2") },
    ended,
  );
  const engineChecks = storeChecks(stores.all, flags["etcd-healthcheck-timeout"]);
  return {
    stores,
    storeFor(definition) {
      const store = observed(definition, stores.storeOf(definition));
      return encryption?.storeFor(definition, store) ?? store;
    },
    engineChecks,
    checks: [...engineChecks, ...(encryption?.checks ?? [])],
  };
}
