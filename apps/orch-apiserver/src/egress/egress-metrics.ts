import type { Metrics } from "@orchernetes/component";

/** Labels of the metrics: the protocol with the proxy, and the transport to it. */
export interface EgressLabels {
  readonly protocol: "http_connect" | "grpc";
  readonly transport: "tcp" | "uds";
}

/** Where an attempt failed: while connecting to the proxy, or because the proxy did not connect to the target. */
export type EgressStage = "connect" | "proxy";

/** Counts connections through proxies. */
export interface EgressMetrics {
  started(labels: EgressLabels): void;
  failed(labels: EgressLabels, stage: EgressStage): void;
  connected(labels: EgressLabels, seconds: number): void;
}

/** Creates the metrics of connections through proxies, which have the names of upstream. */
export function egressMetrics(metrics: Metrics): EgressMetrics {
  const labelNames = ["protocol", "transport"] as const;
  const starts = metrics.counter({
    name: "apiserver_egress_dialer_dial_start_total",
    help: "Number of egress connections started, by protocol and transport.",
    labelNames,
  });
  const failures = metrics.counter({
    name: "apiserver_egress_dialer_dial_failure_count",
    help: "Number of failed egress connections, by protocol, transport and stage: connect (to the proxy) or proxy (by the proxy).",
    labelNames: [...labelNames, "stage"],
  });
  const seconds = metrics.histogram({
    name: "apiserver_egress_dialer_dial_duration_seconds",
    help: "Latency of opening egress connections in seconds, by protocol and transport.",
    labelNames,
    buckets: [0.005, 0.025, 0.1, 0.5, 2.5, 12.5],
  });
  return {
    started: ({ protocol, transport }) => starts.inc([protocol, transport]),
    failed: ({ protocol, transport }, stage) => failures.inc([protocol, transport, stage]),
    connected: ({ protocol, transport }, elapsed) => seconds.observe(elapsed, [protocol, transport]),
  };
}
