import type { TokenCacheCounts } from "@orchernetes/auth";
import type { Metrics } from "@orchernetes/component";

/** Counts of the caches of tokens. A connection that repeats its token within a second is not looked up, and not counted. */
export function tokenCacheMetrics(metrics: Metrics): TokenCacheCounts {
  const labelNames = ["status"];
  const prefix = "authentication_token_cache";
  const duration = metrics.histogram({
    name: `${prefix}_request_duration_seconds`,
    help: "Duration of token lookups in seconds, by whether the result was cached.",
    labelNames,
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  });
  const requests = metrics.counter({
    name: `${prefix}_request_total`,
    help: "Number of token lookups, by whether the result was cached.",
    labelNames,
  });
  const fetches = metrics.counter({
    name: `${prefix}_fetch_total`,
    help: "Number of token checks whose result was not cached.",
    labelNames,
  });
  const active = metrics.gauge({
    name: `${prefix}_active_fetch_count`,
    help: "Number of token checks in progress (in_flight), and of requests that wait for one (blocked).",
    labelNames,
  });
  const counts = { in_flight: 0, blocked: 0 };
  return {
    lookedUp(status, seconds) {
      requests.inc([status]);
      duration.observe(seconds, [status]);
    },
    fetched: (status) => fetches.inc([status]),
    active(status, change) {
      counts[status] += change;
      active.set(counts[status], [status]);
    },
  };
}
