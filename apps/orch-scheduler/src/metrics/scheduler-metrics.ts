import { exponentialBuckets, type Metrics } from "@orchernetes/component";
import type { SchedulingQueue } from "../queue/scheduling-queue.ts";
import { type CycleInstruments, cycleInstruments } from "./profile-meter.ts";
import { addPendingMetrics } from "./queue-metrics.ts";

/** Result of a scheduling attempt. */
type AttemptResult = "scheduled" | "unschedulable" | "error";

/** What the scheduler holds in memory. */
interface CacheSizes {
  readonly nodes: number;
  readonly pods: number;
  readonly assumedPods: number;
}

/** The scheduler's own metrics, with upstream's names. */
export interface SchedulerMetrics {
  attempt(result: AttemptResult, profile: string, seconds: number): void;
  /** A node was found in this time. */
  algorithm(seconds: number): void;
  /** A preemption was tried. */
  preemptionAttempt(): void;
  /** A preemption evicts this number of pods. */
  preemptionVictims(victims: number): void;
  /** A pod was bound; with the number of attempts, and the time since it was ready to be scheduled, as upstream. */
  scheduled(attempts: number, seconds: number): void;
  /** The number of pods that are being bound has changed by this. */
  binding(change: 1 | -1): void;
  /** Permit held a pod for this time. */
  permitWaited(result: "Success" | "Unschedulable", seconds: number): void;
  /** Sets what is read when the page is requested. */
  followCache(read: () => CacheSizes): void;
  /** What the meters of profiles record in. */
  readonly cycles: CycleInstruments;
}

const TIME_BUCKETS = exponentialBuckets(0.001, 2, 15);

/** Numbers of attempts from 15 on share a series, so that there is a limit of series. */
const MAX_ATTEMPTS = 15;

function attemptMetrics(metrics: Metrics): Pick<SchedulerMetrics, "attempt" | "algorithm" | "scheduled"> {
  const labelNames = ["result", "profile"] as const;
  const attempts = metrics.counter({
    name: "scheduler_schedule_attempts_total",
    help: "Number of attempts to schedule pods, by result and profile.",
    stability: "STABLE",
    labelNames,
  });
  const duration = metrics.histogram({
    name: "scheduler_scheduling_attempt_duration_seconds",
    help: "Latency of a scheduling attempt (scheduling algorithm and binding) in seconds.",
    stability: "STABLE",
    labelNames,
    buckets: TIME_BUCKETS,
  });
  const algorithm = metrics.histogram({
    name: "scheduler_scheduling_algorithm_duration_seconds",
    help: "Latency of the scheduling algorithm in seconds.",
    buckets: TIME_BUCKETS,
  });
  const tries = metrics.histogram({
    name: "scheduler_pod_scheduling_attempts",
    help: "Number of attempts to schedule a pod successfully.",
    stability: "STABLE",
    buckets: exponentialBuckets(1, 2, 5),
  });
  const waiting = metrics.histogram({
    name: "scheduler_pod_scheduling_duration_seconds",
    help: "Latency of scheduling a pod in seconds, from when it was ready to be scheduled to its binding, by number of attempts.",
    stability: "STABLE",
    labelNames: ["attempts"],
    buckets: exponentialBuckets(0.01, 2, 20),
  });
  return {
    attempt(result, profile, seconds) {
      attempts.inc([result, profile]);
      duration.observe(seconds, [result, profile]);
    },
    algorithm: (seconds) => algorithm.observe(seconds),
    scheduled(count, seconds) {
      tries.observe(count);
      waiting.observe(seconds, [count >= MAX_ATTEMPTS ? `${MAX_ATTEMPTS}+` : String(count)]);
    },
  };
}

/** Registers the metrics of work in the background. */
function backgroundMetrics(metrics: Metrics): Pick<SchedulerMetrics, "binding" | "permitWaited"> {
  const operations = metrics.gauge({
    name: "scheduler_goroutines",
    help: "Number of background operations, by operation (binding).",
    labelNames: ["operation"],
  });
  operations.set(0, ["binding"]);
  const formerly = metrics.gauge({
    name: "scheduler_scheduler_goroutines",
    help: "The same as scheduler_goroutines.",
    labelNames: ["work"],
    deprecated: "1.26.0",
  });
  const permits = metrics.histogram({
    name: "scheduler_permit_wait_duration_seconds",
    help: "Time that pods waited on Permit, in seconds, by result.",
    labelNames: ["result"],
    buckets: TIME_BUCKETS,
  });
  return {
    permitWaited: (result, seconds) => permits.observe(seconds, [result]),
    binding(change) {
      operations.inc(["binding"], change);
      formerly.inc(["binding"], change);
    },
  };
}

function cacheMetrics(metrics: Metrics): Pick<SchedulerMetrics, "followCache"> {
  let read: (() => CacheSizes) | undefined;
  metrics.gauge({
    name: "scheduler_scheduler_cache_size",
    help: "Number of nodes, pods and assumed pods in the scheduler cache.",
    labelNames: ["type"],
    collect: (gauge) => {
      if (read === undefined) return;
      const { nodes, pods, assumedPods } = read();
      gauge.set(nodes, ["nodes"]);
      gauge.set(pods, ["pods"]);
      gauge.set(assumedPods, ["assumed_pods"]);
    },
  });
  return {
    followCache: (from) => {
      read = from;
    },
  };
}

/** Registers the metrics of the scheduler and of its queue. @param cycles if they are registered already */
export function schedulerMetrics(
  metrics: Metrics,
  queue: SchedulingQueue,
  cycles?: CycleInstruments,
): SchedulerMetrics {
  addPendingMetrics(metrics, queue);
  const preemptions = metrics.counter({
    name: "scheduler_preemption_attempts_total",
    help: "Number of preemption attempts.",
    stability: "STABLE",
  });
  const victims = metrics.histogram({
    name: "scheduler_preemption_victims",
    help: "Number of victims of a preemption.",
    stability: "STABLE",
    buckets: exponentialBuckets(1, 2, 7),
  });
  return {
    ...attemptMetrics(metrics),
    ...backgroundMetrics(metrics),
    ...cacheMetrics(metrics),
    cycles: cycles ?? cycleInstruments(metrics),
    preemptionAttempt: () => preemptions.inc(),
    preemptionVictims: (count) => victims.observe(count),
  };
}
