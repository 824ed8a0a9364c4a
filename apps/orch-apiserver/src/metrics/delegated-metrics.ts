import type { Metrics } from "@orchernetes/component";

/** Records a request to a service: the HTTP status, or 0 without an answer, and the time it took. */
export type ObserveDelegated = (status: number, elapsedMs: number) => void;

/** Counts the requests to the webhook that authenticates tokens (`authn`) or authorizes requests (`authz`). */
export function delegatedMetrics(metrics: Metrics, what: "authn" | "authz"): ObserveDelegated {
  const total = metrics.counter({
    name: `apiserver_delegated_${what}_request_total`,
    help: "Number of requests to the token webhook, by status code.",
    labelNames: ["code"],
  });
  const seconds = metrics.histogram({
    name: `apiserver_delegated_${what}_request_duration_seconds`,
    help: "Latency of requests to the token webhook in seconds, by status code.",
    labelNames: ["code"],
    buckets: [0.25, 0.5, 0.7, 1, 1.5, 3, 5, 10],
  });
  return (status, elapsedMs) => {
    const code = status === 0 ? "<error>" : String(status);
    total.inc([code]);
    seconds.observe(elapsedMs / 1000, [code]);
  };
}
