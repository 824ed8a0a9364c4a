import type { ApiMetrics } from "@orchernetes/apiserver";
import type { Metrics } from "@orchernetes/component";

const LATENCY_BUCKETS = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];

const COMPONENT = "apiserver";

/** The request metrics of the original, under the naming rule. */
export function apiMetrics(metrics: Metrics): ApiMetrics {
  const labels = [
    "verb",
    "dry_run",
    "group",
    "version",
    "resource",
    "subresource",
    "scope",
    "component",
    "code",
  ] as const;
  const total = metrics.counter({
    name: "apiserver_request_total",
    help: "Requests answered, by verb, dry run value, group, version, resource, scope, component and HTTP response code.",
    labelNames: labels,
  });
  const duration = metrics.histogram({
    name: "apiserver_request_duration_seconds",
    help: "Time from a request's arrival to the end of its answer, in seconds.",
    labelNames: ["verb", "dry_run", "group", "version", "resource", "subresource", "scope", "component"] as const,
    buckets: LATENCY_BUCKETS,
  });
  const inflight = metrics.gauge({
    name: "apiserver_current_inflight_requests",
    help: "Requests being worked on, by kind.",
    labelNames: ["request_kind"] as const,
  });
  const longRunning = metrics.gauge({
    name: "apiserver_longrunning_requests",
    help: "Long-running requests being served.",
    labelNames: ["verb", "group", "version", "resource", "subresource", "scope", "component"] as const,
  });
  const watchEvents = metrics.counter({
    name: "apiserver_watch_events_total",
    help: "Events sent to watch clients.",
    labelNames: ["group", "version", "kind"] as const,
  });
  return {
    observeRequest(info, code, scope, seconds, dryRun) {
      const of = [
        info.verb.toUpperCase(),
        dryRun ? "All" : "",
        info.apiGroup,
        info.apiVersion,
        info.resource,
        info.isResourceRequest ? info.subresource : "",
        scope,
        COMPONENT,
      ];
      total.inc([...of, String(code)]);
      duration.observe(seconds, of);
    },
    setInflight: (kind, count) => inflight.set(count, [kind]),
    addLongRunning: (info, scope, delta) =>
      longRunning.inc(
        [info.verb.toUpperCase(), info.apiGroup, info.apiVersion, info.resource, info.subresource, scope, COMPONENT],
        delta,
      ),
    addWatchEvents: (info, count) => watchEvents.inc([info.apiGroup, info.apiVersion, info.resource], count),
  };
}
