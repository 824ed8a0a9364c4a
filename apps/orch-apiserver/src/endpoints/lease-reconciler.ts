import type { Registry } from "@orchernetes/apiserver";
import type { Store } from "@orchernetes/storage";
import type { EndpointReconciler } from "./endpoint-reconciler.ts";
import { publishEndpoints } from "./publish-endpoints.ts";

/** How long a server that says nothing more counts as alive. */
const leaseSeconds = 15;

/** What {@link leaseReconciler} needs. */
export interface LeaseReconcilerOptions {
  readonly registry: Registry;
  readonly store: Store;
  /** What the keys of the leases start with, `/` at the end. */
  readonly prefix: string;
  /** Where others reach this server. */
  readonly address: string;
  readonly port: number;
  /** @default 15 */
  readonly ttlSeconds?: number;
}

/**
 * Each server keeps its own key in the store, which expires unless it is written again; the endpoints are the
 * servers whose keys are there. So servers that died disappear by themselves, and the number of servers does not have to be configured.
 */
export function leaseReconciler(options: LeaseReconcilerOptions): EndpointReconciler {
  const { registry, store, prefix, address, port, ttlSeconds = leaseSeconds } = options;
  const key = prefix + address;
  const publish = () =>
    publishEndpoints({
      registry,
      port,
      async addresses(stored) {
        const alive = (await store.list(prefix)).items.map((item) => item.key.slice(prefix.length));
        // Keep the last server: it may restart, and without endpoints clients could not find it.
        return alive.length === 0 ? stored : alive;
      },
    });
  return {
    async reconcile() {
      const lease = { kind: "Endpoints", apiVersion: "v1", metadata: {}, subsets: [{ addresses: [{ ip: address }] }] };
      await store.commit([], [{ type: "put", key, value: Buffer.from(JSON.stringify(lease)), ttlSeconds }]);
      await publish();
    },
    async remove() {
      await store.commit([], [{ type: "delete", key }]);
      await publish();
    },
  };
}
