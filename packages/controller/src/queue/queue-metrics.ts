/** Called by a work queue when items are added, taken and done. Daemons export them as `workqueue_*{name}`. Times are in milliseconds. */
export interface QueueMetrics {
  /** `workqueue_adds_total`: an item was added. */
  added(queue: string): void;
  /** `workqueue_depth`: the number of waiting items changed. */
  depth(queue: string, length: number): void;
  /** `workqueue_queue_duration_seconds`: how long an item waited. */
  waited(queue: string, ms: number): void;
  /** `workqueue_work_duration_seconds`: how long it was worked on. */
  worked(queue: string, ms: number): void;
  /** `workqueue_retries_total`: an item was added with a delay after a failure. */
  retried(queue: string): void;
  /**
   * Called once by a new queue. `read` returns how long the current items have been worked on, in total and the longest:
   * `workqueue_unfinished_work_seconds`, `workqueue_longest_running_processor_seconds`.
   */
  follow?(queue: string, read: () => { readonly totalMs: number; readonly longestMs: number }): void;
}

/** Metrics that are not recorded: the default of a queue. */
export const noQueueMetrics: QueueMetrics = Object.freeze({
  added() {},
  depth() {},
  waited() {},
  worked() {},
  retried() {},
});
