import type { ApiMetrics, RequestFilter } from "@orchernetes/apiserver";
import { exponentialBuckets, type Metrics } from "@orchernetes/component";
import { userLabel } from "./request-labels.ts";

/** Users whose label is remembered; service accounts of a large cluster come and go. */
const maxUsers = 10_000;

/** What requests pass on their way, and who makes them. */
export function filterMetrics(
  metrics: Metrics,
): Pick<ApiMetrics, "observeFilter" | "observeAuthentication" | "setInflight"> {
  const filters = metrics.histogram({
    name: "apiserver_request_filter_duration_seconds",
    help: "Time that requests spend in a filter, in seconds.",
    labelNames: ["filter"],
    buckets: [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 5],
  });
  const byFilter: Readonly<Record<RequestFilter, { observe(seconds: number): void }>> = {
    authentication: filters.with("authentication"),
    impersonation: filters.with("impersonation"),
    priorityandfairness: filters.with("priorityandfairness"),
    authorization: filters.with("authorization"),
  };
  const users = metrics.counter({
    name: "authenticated_user_requests",
    help: "Number of authenticated requests, by username if it is well known.",
    labelNames: ["username"],
  });
  const attempts = metrics.counter({
    name: "authentication_attempts",
    help: "Number of authentication attempts, by result.",
    labelNames: ["result"],
  });
  const duration = metrics.histogram({
    name: "authentication_duration_seconds",
    help: "Duration of authentication in seconds, by result.",
    labelNames: ["result"],
    buckets: exponentialBuckets(0.001, 2, 15),
  });
  const resultOf = (result: string) => ({ attempts: attempts.with(result), duration: duration.with(result) });
  const results = { success: resultOf("success"), failure: resultOf("failure"), error: resultOf("error") };
  const byUser = new Map<string, { inc(): void }>();
  const inflight = metrics.gauge({
    name: "apiserver_current_inflight_requests",
    help: "Maximum number of requests in flight since the last scrape, by request kind.",
    stability: "STABLE",
    labelNames: ["request_kind"],
    collect: (gauge) => {
      for (const kind of ["readOnly", "mutating"] as const) {
        gauge.set(most[kind], [kind]);
        most[kind] = now[kind];
      }
    },
  });
  const now = { readOnly: 0, mutating: 0 };
  const most = { readOnly: 0, mutating: 0 };
  inflight.reset();
  return {
    observeFilter: (filter, seconds) => byFilter[filter].observe(seconds),
    observeAuthentication(result, seconds, user) {
      const series = results[result];
      series.attempts.inc();
      series.duration.observe(seconds);
      if (user === undefined) return;
      let counter = byUser.get(user.name);
      if (counter === undefined) {
        if (byUser.size >= maxUsers) byUser.clear();
        counter = users.with(userLabel(user.name));
        byUser.set(user.name, counter);
      }
      counter.inc();
    },
    setInflight(kind, count) {
      now[kind] = count;
      if (count > most[kind]) most[kind] = count;
    },
  };
}
