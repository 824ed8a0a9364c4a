/** Called by a work queue as its items move; a daemon turns them into `workqueue_*{name}`. Times are in milliseconds. */
export interface QueueMetrics {
  /** `workqueue_adds_total`. */
  added(queue: string): void;
  /** `workqueue_depth`. */
  depth(queue: string, length: number): void;
  /** `workqueue_queue_duration_seconds`: how long an item waited. */
  waited(queue: string, ms: number): void;
  /** `workqueue_work_duration_seconds`: how long it was worked on. */
  worked(queue: string, ms: number): void;
  /** `workqueue_retries_total`. */
  retried(queue: string): void;
  /**
   * Gives the means to ask how long the items being worked on have been so, all together and the longest:
   * `workqueue_unfinished_work_seconds`, `workqueue_longest_running_processor_seconds`. Called once by a new queue.
   */
  follow?(queue: string, read: () => { readonly totalMs: number; readonly longestMs: number }): void;
}

/** Counts nothing. */
export const noQueueMetrics: QueueMetrics = Object.freeze({
  added() {},
  depth() {},
  waited() {},
  worked() {},
  retried() {},
});
