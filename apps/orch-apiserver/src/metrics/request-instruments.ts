import { exponentialBuckets, linearBuckets, type Metrics } from "@orchernetes/component";
import { objectiveBuckets, requestLatencyBuckets } from "./buckets.ts";

const place = ["group", "version", "resource", "subresource", "scope"] as const;

/** Times and sizes of requests. */
export function requestHistograms(metrics: Metrics) {
  return {
    duration: metrics.histogram({
      name: "apiserver_request_duration_seconds",
      help: "Duration of requests in seconds, from arrival to the end of the response.",
      stability: "STABLE",
      labelNames: ["verb", "dry_run", ...place, "component"],
      buckets: requestLatencyBuckets,
    }),
    objective: metrics.histogram({
      name: "apiserver_request_sli_duration_seconds",
      help: "Duration of requests in seconds, without the time that webhooks took.",
      labelNames: ["verb", ...place, "component"],
      buckets: objectiveBuckets,
    }),
    oldObjective: metrics.histogram({
      name: "apiserver_request_slo_duration_seconds",
      help: "The same as apiserver_request_sli_duration_seconds, which replaces it.",
      deprecated: "1.27.0",
      labelNames: ["verb", ...place, "component"],
      buckets: objectiveBuckets,
    }),
    responseSizes: metrics.histogram({
      name: "apiserver_response_sizes",
      help: "Size of responses to read requests, in bytes.",
      stability: "STABLE",
      labelNames: ["verb", ...place, "component"],
      buckets: exponentialBuckets(1000, 10, 7),
    }),
    bodySizes: metrics.histogram({
      name: "apiserver_request_body_sizes",
      help: "Size of request bodies, in bytes.",
      labelNames: ["resource", "verb"],
      buckets: linearBuckets(50_000, 100_000, 31),
    }),
    validation: metrics.histogram({
      name: "field_validation_request_duration_seconds",
      help: "Duration of requests in seconds, by field validation directive.",
      labelNames: ["field_validation"],
      buckets: objectiveBuckets,
    }),
  };
}

/** Counts of requests, and how many are being served. */
export function requestCounters(metrics: Metrics) {
  return {
    total: metrics.counter({
      name: "apiserver_request_total",
      help: "Number of requests, by verb, dry run value, group, version, resource, scope, component and HTTP response code.",
      stability: "STABLE",
      labelNames: ["verb", "dry_run", ...place, "component", "code"],
    }),
    longRunning: metrics.gauge({
      name: "apiserver_longrunning_requests",
      help: "Number of active long-running requests.",
      stability: "STABLE",
      labelNames: ["verb", ...place, "component"],
    }),
    terminations: metrics.counter({
      name: "apiserver_request_terminations_total",
      help: "Number of requests that the server terminated in self-defense.",
      labelNames: ["verb", ...place, "component", "code"],
    }),
    aborts: metrics.counter({
      name: "apiserver_request_aborts_total",
      help: "Number of requests that the client aborted.",
      labelNames: ["verb", ...place],
    }),
    afterTimeout: metrics.counter({
      name: "apiserver_request_post_timeout_total",
      help: "Number of requests still running after they timed out, by outcome.",
      labelNames: ["source", "status"],
    }),
    own: metrics.counter({
      name: "apiserver_selfrequest_total",
      help: "Number of requests that the server sent to itself.",
      labelNames: ["verb", "resource", "subresource"],
    }),
    deprecated: metrics.gauge({
      name: "apiserver_requested_deprecated_apis",
      help: "1 for each deprecated API that has been requested, by API group, version, resource, subresource and the release that removes it.",
      stability: "STABLE",
      labelNames: ["group", "version", "resource", "subresource", "removed_release"],
    }),
  };
}
