import type { Metrics } from "@orchernetes/component";
import type { QueueMetrics, SchedulingQueue } from "../queue/scheduling-queue.ts";

/** Registers the count of pods that are added to the queue. */
export function queueMetrics(metrics: Metrics): QueueMetrics {
  const incoming = metrics.counter({
    name: "scheduler_queue_incoming_pods_total",
    help: "Number of pods added to the scheduling queue, by queue and event.",
    stability: "STABLE",
    labelNames: ["queue", "event"],
  });
  return { incoming: (place, event) => incoming.inc([place, event]) };
}

/** Registers the metrics that are read from the queue when the page is requested. */
export function addPendingMetrics(metrics: Metrics, queue: Pick<SchedulingQueue, "counts" | "pods">): void {
  metrics.gauge({
    name: "scheduler_pending_pods",
    help: "Number of pending pods, by queue: active, backoff, unschedulable or gated.",
    stability: "STABLE",
    labelNames: ["queue"],
    collect: (gauge) => {
      for (const [name, count] of Object.entries(queue.counts())) gauge.set(count, [name]);
    },
  });
  metrics.gauge({
    name: "scheduler_unschedulable_pods",
    help: "Number of unschedulable pods, by plugin. A pod counts for each plugin that rejected it.",
    labelNames: ["plugin", "profile"],
    collect: (gauge) => {
      gauge.reset();
      for (const { info, rejectors } of queue.pods())
        for (const { name } of rejectors) if (name !== "") gauge.inc([name, info.pod.spec.schedulerName ?? ""]);
    },
  });
}
