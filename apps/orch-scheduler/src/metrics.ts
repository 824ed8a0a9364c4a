import type { Metrics } from "@orchernetes/component";
import type { SchedulingQueue } from "./queue/scheduling-queue.ts";

/** Result of a scheduling attempt. */
type AttemptResult = "scheduled" | "unschedulable" | "error";

/** The scheduler's own metrics, with upstream's names. */
export interface SchedulerMetrics {
  attempt(result: AttemptResult, profile: string, seconds: number): void;
  /** A preemption evicted this number of pods. */
  preemption(victims: number): void;
  /** A pod was bound; with the number of attempts, and the time since it was first seen. */
  scheduled(attempts: number, seconds: number): void;
}

const ATTEMPT_BUCKETS = [
  0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128, 0.256, 0.512, 1.024, 2.048, 4.096, 8.192, 16.384,
];

/** Registers the metrics of the scheduler and of its queue. */
export function schedulerMetrics(metrics: Metrics, queue: SchedulingQueue): SchedulerMetrics {
  const attempts = metrics.counter({
    name: "scheduler_schedule_attempts_total",
    help: "Attempts to schedule pods, by result and profile.",
    labelNames: ["result", "profile"] as const,
  });
  const duration = metrics.histogram({
    name: "scheduler_scheduling_attempt_duration_seconds",
    help: "Time of a scheduling attempt, the algorithm and the binding together, in seconds.",
    labelNames: ["result", "profile"] as const,
    buckets: ATTEMPT_BUCKETS,
  });
  const tries = metrics.histogram({
    name: "scheduler_pod_scheduling_attempts",
    help: "Attempts that scheduled pods took.",
    labelNames: [] as const,
    buckets: [1, 2, 4, 8, 16],
  });
  const waiting = metrics.histogram({
    name: "scheduler_pod_scheduling_sli_duration_seconds",
    help: "Time from the first sight of a pod to its binding, in seconds, by attempts.",
    labelNames: ["attempts"] as const,
    buckets: [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92, 163.84, 327.68],
  });
  metrics.gauge({
    name: "scheduler_pending_pods",
    help: "Pods that wait, by queue.",
    labelNames: ["queue"] as const,
    collect: (gauge) => {
      for (const [name, count] of Object.entries(queue.counts())) gauge.set(count, [name]);
    },
  });
  const preemptions = metrics.counter({
    name: "scheduler_preemption_attempts_total",
    help: "Preemptions so far that found a node.",
    labelNames: [] as const,
  });
  const victims = metrics.histogram({
    name: "scheduler_preemption_victims",
    help: "Pods evicted for one.",
    labelNames: [] as const,
    buckets: [1, 2, 4, 8, 16, 32, 64],
  });
  return {
    preemption(count) {
      preemptions.inc();
      victims.observe(count);
    },
    attempt(result, profile, seconds) {
      attempts.inc([result, profile]);
      duration.observe(seconds, [result, profile]);
    },
    scheduled(count, seconds) {
      tries.observe(count);
      // Numbers of attempts above 15 share a series, so that there is a limit of series.
      waiting.observe(seconds, [count > 15 ? "16" : String(count)]);
    },
  };
}
