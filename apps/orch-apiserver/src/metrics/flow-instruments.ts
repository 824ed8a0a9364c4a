import type { Metrics } from "@orchernetes/component";

const waitBuckets = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30];
const queueBuckets = [0, 10, 25, 50, 100, 250, 500, 1000];

/** What is worked on for one flow schema at one level; read when the page is, as it changes with every request. */
export interface FlowLoad {
  readonly labels: readonly string[];
  executing: number;
  seats: number;
}

/**
 * Metrics by priority level and flow schema.
 * @param loads those of the gauges that are read with the page
 */
export function flowInstruments(metrics: Metrics, loads: readonly FlowLoad[]) {
  const labelNames = ["priority_level", "flow_schema"] as const;
  const name = (what: string) => `apiserver_flowcontrol_${what}`;
  const counter = (what: string, help: string, more: readonly string[] = []) =>
    metrics.counter({ name: name(what), help, labelNames: [...labelNames, ...more] });
  const gauge = (what: string, help: string) => metrics.gauge({ name: name(what), help, labelNames });
  const readGauge = (what: string, help: string, read: (load: FlowLoad) => number) =>
    metrics.gauge({
      name: name(what),
      help,
      labelNames,
      collect: (g) => {
        for (const load of loads) g.set(read(load), load.labels);
      },
    });
  const histogram = (what: string, help: string, buckets: readonly number[], more: readonly string[] = []) =>
    metrics.histogram({ name: name(what), help, labelNames: [...labelNames, ...more], buckets });
  readGauge(
    "current_executing_requests",
    "Number of requests being executed, or of watches being initialized.",
    ({ executing }) => executing,
  );
  readGauge("request_concurrency_in_use", "Number of seats in use by requests.", ({ seats }) => seats);
  return {
    dispatched: counter("dispatched_requests_total", "Number of requests released for execution."),
    rejected: counter("rejected_requests_total", "Number of rejected requests, by reason.", ["reason"]),
    crowded: counter(
      "request_dispatch_no_accommodation_total",
      "Number of requests that had to wait because too few seats were free.",
    ),
    queued: gauge("current_inqueue_requests", "Number of requests waiting in queues."),
    waited: histogram("request_wait_duration_seconds", "Time that requests wait in queues, in seconds.", waitBuckets, [
      "execute",
    ]),
    executed: histogram(
      "request_execution_seconds",
      "Time that requests, or initializations of watches, occupy their seats, in seconds.",
      waitBuckets,
      ["type"],
    ),
    estimated: histogram("work_estimated_seats", "Estimated number of seats of a request.", [1, 2, 4, 10]),
    queueLength: histogram(
      "request_queue_length_after_enqueue",
      "Length of a queue after a request was added to it.",
      queueBuckets,
    ),
  };
}
