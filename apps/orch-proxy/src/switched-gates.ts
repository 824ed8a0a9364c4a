import type { FeatureName } from "@orchernetes/component";

/** The feature gates that have an effect in orch-proxy. Without MinimizeIPTablesRestore every change loads the whole table. */
export const switchedGates: readonly FeatureName[] = [
  "MinimizeIPTablesRestore",
  "ProxyTerminatingEndpoints",
  "TopologyAwareHints",
];
