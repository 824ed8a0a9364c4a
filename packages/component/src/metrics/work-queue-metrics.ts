import { exponentialBuckets, type Metrics } from "./create-metrics.ts";

/** Durations of the items that a queue's workers are processing, in milliseconds. */
export interface WorkInProgress {
  /** Their sum. */
  readonly totalMs: number;
  readonly longestMs: number;
}

/** Receives the measurements of work queues; has the shape of the queue's own interface. */
export interface WorkQueueMetrics {
  added(queue: string): void;
  depth(queue: string, length: number): void;
  waited(queue: string, ms: number): void;
  worked(queue: string, ms: number): void;
  retried(queue: string): void;
  /** Reads the queue's work in progress whenever the page is requested. */
  follow(queue: string, read: () => WorkInProgress): void;
}

/** The `workqueue_*` metrics. */
export function workQueueMetrics(metrics: Metrics): WorkQueueMetrics {
  const labelNames = ["name"] as const;
  const buckets = exponentialBuckets(1e-8, 10, 10);
  const adds = metrics.counter({
    name: "workqueue_adds_total",
    help: "Number of items added to the work queue.",
    labelNames,
  });
  const depth = metrics.gauge({ name: "workqueue_depth", help: "Current depth of the work queue.", labelNames });
  const retries = metrics.counter({
    name: "workqueue_retries_total",
    help: "Number of retries handled by the work queue.",
    labelNames,
  });
  const waited = metrics.histogram({
    name: "workqueue_queue_duration_seconds",
    help: "How long an item stays in the work queue before it is processed, in seconds.",
    labelNames,
    buckets,
  });
  const worked = metrics.histogram({
    name: "workqueue_work_duration_seconds",
    help: "How long processing an item from the work queue takes, in seconds.",
    labelNames,
    buckets,
  });
  const followed = new Map<string, () => WorkInProgress>();
  const inProgress = (name: string, help: string, of: (work: WorkInProgress) => number) =>
    metrics.gauge({
      name,
      help,
      labelNames,
      collect: (gauge) => {
        for (const [queue, read] of followed) gauge.set(of(read()) / 1000, [queue]);
      },
    });
  inProgress(
    "workqueue_unfinished_work_seconds",
    "Time spent so far on all items being worked on, in seconds; a value that keeps growing tells of stuck workers.",
    ({ totalMs }) => totalMs,
  );
  inProgress(
    "workqueue_longest_running_processor_seconds",
    "Time spent so far on the item that has been worked on longest, in seconds.",
    ({ longestMs }) => longestMs,
  );
  return {
    added: (queue) => adds.inc([queue]),
    depth: (queue, length) => depth.set(length, [queue]),
    waited: (queue, ms) => waited.observe(ms / 1000, [queue]),
    worked: (queue, ms) => worked.observe(ms / 1000, [queue]),
    retried: (queue) => retries.inc([queue]),
    follow: (queue, read) => followed.set(queue, read),
  };
}
