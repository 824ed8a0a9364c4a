import type { Registry } from "@orchernetes/apiserver";
import type { EndpointReconciler } from "./endpoint-reconciler.ts";
import { publishEndpoints } from "./publish-endpoints.ts";

/** What {@link masterCountReconciler} needs. */
export interface MasterCountReconcilerOptions {
  readonly registry: Registry;
  readonly address: string;
  readonly port: number;
  /** `--apiserver-count` */
  readonly count: number;
}

/**
 * Each server adds its own address; if there are more than `count`, others go until there are that many. A server that died
 * stays until another takes its place.
 */
export function masterCountReconciler(options: MasterCountReconcilerOptions): EndpointReconciler {
  const { registry, address, port, count } = options;
  return {
    reconcile: () =>
      publishEndpoints({
        registry,
        port,
        addresses: async (stored) => [address, ...stored.filter((ip) => ip !== address).sort()].slice(0, count),
      }),
    remove: () =>
      publishEndpoints({ registry, port, addresses: async (stored) => stored.filter((ip) => ip !== address) }),
  };
}
