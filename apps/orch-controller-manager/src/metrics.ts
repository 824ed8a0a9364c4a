import type { ClientMetrics } from "@orchernetes/client";
import { exponentialBuckets, type Metrics } from "@orchernetes/component";
import type { QueueMetrics } from "@orchernetes/controller";

/** The `workqueue_*` metrics. */
export function queueMetrics(metrics: Metrics): QueueMetrics {
  const labelNames = ["name"] as const;
  const buckets = exponentialBuckets(1e-8, 10, 10);
  const adds = metrics.counter({ name: "workqueue_adds_total", help: "Items added, by queue.", labelNames });
  const depth = metrics.gauge({ name: "workqueue_depth", help: "Items that wait, by queue.", labelNames });
  const retries = metrics.counter({
    name: "workqueue_retries_total",
    help: "Items added again after a failure.",
    labelNames,
  });
  const waited = metrics.histogram({
    name: "workqueue_queue_duration_seconds",
    help: "How long items waited, in seconds.",
    labelNames,
    buckets,
  });
  const worked = metrics.histogram({
    name: "workqueue_work_duration_seconds",
    help: "How long items were worked on, in seconds.",
    labelNames,
    buckets,
  });
  return {
    added: (queue) => adds.inc([queue]),
    depth: (queue, length) => depth.set(length, [queue]),
    waited: (queue, ms) => waited.observe(ms / 1000, [queue]),
    worked: (queue, ms) => worked.observe(ms / 1000, [queue]),
    retried: (queue) => retries.inc([queue]),
  };
}

/** The `rest_client_*` metrics. */
export function clientMetrics(metrics: Metrics): ClientMetrics {
  const requests = metrics.counter({
    name: "rest_client_requests_total",
    help: "Requests to the API server, by status code, method and host.",
    labelNames: ["code", "method", "host"] as const,
  });
  const duration = metrics.histogram({
    name: "rest_client_request_duration_seconds",
    help: "Time of requests to the API server, in seconds.",
    labelNames: ["verb", "host"] as const,
    buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60],
  });
  return {
    requestFinished({ code, method, host, durationMs }) {
      requests.inc([code, method, host]);
      duration.observe(durationMs / 1000, [method, host]);
    },
  };
}
