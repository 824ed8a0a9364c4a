import type { ServerFeatures } from "@orchernetes/apiserver";
import type { FeatureName } from "@orchernetes/component";

/**
 * What feature gates switch in the generic server.
 *
 * @param enabled the gates' states
 * @param named the gates that `--feature-gates` names. Watch lists are on unless they are switched off by name: this server
 * promises them, although the gate is off by default at its level.
 */
export function serverFeatures(
  enabled: (gate: FeatureName) => boolean,
  named: ReadonlyMap<string, boolean>,
): ServerFeatures {
  return {
    listChunking: enabled("APIListChunking"),
    remainingItemCount: enabled("RemainingItemCount"),
    responseCompression: enabled("APIResponseCompression"),
    storageVersionHash: enabled("StorageVersionHash"),
    openApiEnums: enabled("OpenAPIEnums"),
    aggregatedDiscovery: enabled("AggregatedDiscoveryEndpoint"),
    watchList: named.get("WatchList") ?? true,
    watchFromStorage: enabled("WatchFromStorageWithoutResourceVersion"),
    leaveUnauthenticated: enabled("UnauthenticatedHTTP2DOSMitigation"),
  };
}
