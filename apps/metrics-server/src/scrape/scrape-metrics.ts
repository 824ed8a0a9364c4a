import type { Metrics } from "@orchernetes/component";
import type { Clock } from "@orchernetes/kernel";

/** What is counted of the requests to node agents. */
export interface ScrapeMetrics {
  requested(node: string, success: boolean, durationMs: number): void;
  /** A reading of all nodes has ended. */
  ticked(durationMs: number): void;
}

const REQUEST_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** Shares of the interval between two readings. */
const TICK_SHARES = [0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.5];

/** The metrics `metrics_server_orchlet_*` and `metrics_server_manager_*`. */
export function createScrapeMetrics(metrics: Metrics, resolutionMs: number, clock: Clock): ScrapeMetrics {
  const duration = metrics.histogram({
    name: "metrics_server_orchlet_request_duration_seconds",
    help: "Duration of requests to Orchlet API in seconds",
    labelNames: ["node"],
    buckets: REQUEST_BUCKETS,
  });
  const total = metrics.counter({
    name: "metrics_server_orchlet_request_total",
    help: "Number of requests sent to Orchlet API",
    labelNames: ["success"],
  });
  const lastTime = metrics.gauge({
    name: "metrics_server_orchlet_last_request_time_seconds",
    help: "Time of last request performed to Orchlet API since unix epoch in seconds",
    labelNames: ["node"],
  });
  const tick = metrics.histogram({
    name: "metrics_server_manager_tick_duration_seconds",
    help: "The total time spent collecting and storing metrics in seconds.",
    buckets: TICK_SHARES.map((share) => (share * resolutionMs) / 1000),
  });
  return {
    requested(node, success, durationMs) {
      duration.observe(durationMs / 1000, [node]);
      total.inc([String(success)]);
      lastTime.set(Math.floor(clock.nowMs() / 1000), [node]);
    },
    ticked: (durationMs) => tick.observe(durationMs / 1000),
  };
}
