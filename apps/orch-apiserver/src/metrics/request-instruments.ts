import { exponentialBuckets, linearBuckets, type Metrics } from "@orchernetes/component";
import { objectiveBuckets, requestLatencyBuckets } from "./buckets.ts";

const place = ["group", "version", "resource", "subresource", "scope"] as const;

/** Times and sizes of requests. */
export function requestHistograms(metrics: Metrics) {
  return {
    duration: metrics.histogram({
      name: "apiserver_request_duration_seconds",
      help: "Time from a request's arrival to the end of its answer, in seconds.",
      stability: "STABLE",
      labelNames: ["verb", "dry_run", ...place, "component"],
      buckets: requestLatencyBuckets,
    }),
    objective: metrics.histogram({
      name: "apiserver_request_sli_duration_seconds",
      help: "Time that requests took without what webhooks took of it, in seconds.",
      labelNames: ["verb", ...place, "component"],
      buckets: objectiveBuckets,
    }),
    oldObjective: metrics.histogram({
      name: "apiserver_request_slo_duration_seconds",
      help: "As apiserver_request_sli_duration_seconds, which replaces it.",
      deprecated: "1.27.0",
      labelNames: ["verb", ...place, "component"],
      buckets: objectiveBuckets,
    }),
    responseSizes: metrics.histogram({
      name: "apiserver_response_sizes",
      help: "Sizes of answers to reads, in bytes.",
      stability: "STABLE",
      labelNames: ["verb", ...place, "component"],
      buckets: exponentialBuckets(1000, 10, 7),
    }),
    bodySizes: metrics.histogram({
      name: "apiserver_request_body_sizes",
      help: "Sizes of request bodies, in bytes.",
      labelNames: ["resource", "verb"],
      buckets: linearBuckets(50_000, 100_000, 31),
    }),
    validation: metrics.histogram({
      name: "field_validation_request_duration_seconds",
      help: "Time that requests took, by how they wanted unknown fields treated, in seconds.",
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
      help: "Requests answered, by verb, dry run value, group, version, resource, scope, component and HTTP response code.",
      stability: "STABLE",
      labelNames: ["verb", "dry_run", ...place, "component", "code"],
    }),
    longRunning: metrics.gauge({
      name: "apiserver_longrunning_requests",
      help: "Long-running requests being served.",
      stability: "STABLE",
      labelNames: ["verb", ...place, "component"],
    }),
    terminations: metrics.counter({
      name: "apiserver_request_terminations_total",
      help: "Requests that the server ended itself to protect itself.",
      labelNames: ["verb", ...place, "component", "code"],
    }),
    aborts: metrics.counter({
      name: "apiserver_request_aborts_total",
      help: "Requests whose client left before the answer was complete.",
      labelNames: ["verb", ...place],
    }),
    afterTimeout: metrics.counter({
      name: "apiserver_request_post_timeout_total",
      help: "Requests that were still being worked on after they had timed out, by how that ended.",
      labelNames: ["source", "status"],
    }),
    own: metrics.counter({
      name: "apiserver_selfrequest_total",
      help: "Requests that the server made to itself.",
      labelNames: ["verb", "resource", "subresource"],
    }),
    deprecated: metrics.gauge({
      name: "apiserver_requested_deprecated_apis",
      help: "1 for deprecated APIs that were asked for, by the release that removes them.",
      stability: "STABLE",
      labelNames: ["group", "version", "resource", "subresource", "removed_release"],
    }),
  };
}
