import { exponentialBuckets, linearBuckets, type Metrics } from "@orchernetes/component";

/** The measurements of the synchronization. */
export type ProxyMetrics = ReturnType<typeof proxyMetrics>;

/** Registers the metrics of the original under this project's name; those of iptables count what nftables does. */
export function proxyMetrics(metrics: Metrics) {
  const gauge = (name: string, help: string) => metrics.gauge({ name: `orchproxy_${name}`, help });
  const counter = (name: string, help: string) => metrics.counter({ name: `orchproxy_${name}`, help });
  return {
    syncDuration: metrics.histogram({
      name: "orchproxy_sync_proxy_rules_duration_seconds",
      help: "Duration of one synchronization of the rules.",
      buckets: exponentialBuckets(0.001, 2, 15),
    }),
    programmingDuration: metrics.histogram({
      name: "orchproxy_network_programming_duration_seconds",
      help: "Time from the change of a pod or service to the rules that reflect it.",
      buckets: [
        ...linearBuckets(0.25, 0.25, 2),
        ...linearBuckets(1, 1, 59),
        ...linearBuckets(60, 5, 12),
        ...linearBuckets(120, 30, 7),
      ],
    }),
    endpointChangesPending: gauge(
      "sync_proxy_rules_endpoint_changes_pending",
      "Endpoint changes that are not applied to the rules yet.",
    ),
    endpointChanges: counter("sync_proxy_rules_endpoint_changes_total", "Changes of endpoints."),
    serviceChangesPending: gauge(
      "sync_proxy_rules_service_changes_pending",
      "Service changes that are not applied to the rules yet.",
    ),
    serviceChanges: counter("sync_proxy_rules_service_changes_total", "Changes of services."),
    loadFailures: counter(
      "sync_proxy_rules_iptables_restore_failures_total",
      "Failures to load the whole table of rules.",
    ),
    changeFailures: counter(
      "sync_proxy_rules_iptables_partial_restore_failures_total",
      "Failures to load a change of the rules.",
    ),
    lastQueued: gauge(
      "sync_proxy_rules_last_queued_timestamp_seconds",
      "Time of the last request for a synchronization.",
    ),
    lastSynced: gauge("sync_proxy_rules_last_timestamp_seconds", "Time of the last successful synchronization."),
  };
}
