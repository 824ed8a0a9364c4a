import type { Metrics } from "./create-metrics.ts";

interface Call {
  readonly method: string;
  readonly host: string;
}

/** Receives the measurements of API clients; has the shape of the client's own interface. */
export interface RestClientMetrics {
  requestFinished(
    call: Call & {
      readonly code: string;
      readonly durationMs: number;
      readonly requestBytes?: number;
      readonly responseBytes?: number;
    },
  ): void;
  rateLimited(call: Call & { readonly waitedMs: number }): void;
  retried(call: Call & { readonly code: string }): void;
  eventDropped(event: { readonly component: string; readonly reason: string }): void;
}

const latency = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];
const sizes = [64, 256, 512, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216];

/** The `rest_client_*` metrics, and the count of dropped events. */
export function restClientMetrics(metrics: Metrics): RestClientMetrics {
  const requests = metrics.counter({
    name: "rest_client_requests_total",
    help: "Number of requests to the API server, by status code, method and host.",
    labelNames: ["code", "method", "host"],
  });
  const retries = metrics.counter({
    name: "rest_client_request_retries_total",
    help: "Number of request retries, by status code, verb and host.",
    labelNames: ["code", "verb", "host"],
  });
  const droppedEvents = metrics.counter({
    name: "event_recorder_dropped_total",
    help: "Number of recorded events that were not stored, by component and reason.",
    labelNames: ["component", "reason"],
  });
  const histogram = (what: string, help: string, buckets: readonly number[]) =>
    metrics.histogram({ name: `rest_client_${what}`, help, labelNames: ["verb", "host"], buckets });
  const duration = histogram("request_duration_seconds", "Time of requests to the API server, in seconds.", latency);
  const limiter = histogram(
    "rate_limiter_duration_seconds",
    "Time that requests waited for the client's own rate limit, in seconds.",
    latency,
  );
  const requestSize = histogram("request_size_bytes", "Size of request bodies, in bytes.", sizes);
  const responseSize = histogram("response_size_bytes", "Size of response bodies, in bytes.", sizes);
  return {
    requestFinished({ code, method, host, durationMs, requestBytes, responseBytes }) {
      requests.inc([code, method, host]);
      const labels = [method, host];
      duration.observe(durationMs / 1000, labels);
      if (requestBytes !== undefined) requestSize.observe(requestBytes, labels);
      if (responseBytes !== undefined) responseSize.observe(responseBytes, labels);
    },
    rateLimited: ({ method, host, waitedMs }) => limiter.observe(waitedMs / 1000, [method, host]),
    retried: ({ code, method, host }) => retries.inc([code, method, host]),
    eventDropped: ({ component, reason }) => droppedEvents.inc([component, reason]),
  };
}
