import { exponentialBuckets, type Metrics } from "@orchernetes/component";
import type { PolicyTable } from "@orchernetes/proxy";

/** The measurements of the enforcement of policies. */
export type PolicyMetrics = ReturnType<typeof policyMetrics>;

/** Registers the metrics. Sizes are counted when they are read. */
export function policyMetrics(metrics: Metrics, table: PolicyTable) {
  const size = (name: string, help: string, read: () => number) =>
    metrics.gauge({ name: `orchproxy_network_policy_${name}`, help, collect: (gauge) => gauge.set(read()) });
  size("policies", "Network policies of the cluster.", () => table.policyKeys.length);
  size("isolated_pods", "Pods of this node that network policies isolate.", () => table.isolatedPods);
  size(
    "suspended",
    "Network policies that the packet filter rejects or takes too long to load: they isolate pods and allow nothing.",
    () => table.suspended.size,
  );
  size(
    "too_large",
    "Network policies that exceed a limit, alone or together with older ones of their namespace: they isolate pods and allow nothing.",
    () => table.tooLargePolicies,
  );
  size(
    "contested_addresses",
    "Addresses that pods of several nodes report; each is treated as the address of one of them.",
    () => table.contestedAddresses,
  );
  size("elements", "Rules and set elements of network policies in the packet filter.", () => {
    const { chains, sets } = table.table();
    const rules = chains.reduce((sum, chain) => sum + chain.rules.length, 0);
    return sets.reduce((sum, { elements }) => sum + elements.size, rules);
  });
  return {
    syncDuration: metrics.histogram({
      name: "orchproxy_network_policy_sync_duration_seconds",
      help: "Duration of one synchronization of the rules of network policies.",
      buckets: exponentialBuckets(0.001, 2, 15),
    }),
    failures: metrics.counter({
      name: "orchproxy_network_policy_sync_failures_total",
      help: "Synchronizations of the rules of network policies that failed.",
    }),
  };
}
