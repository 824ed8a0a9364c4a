import type { core } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import { podCondition } from "@orchernetes/component-helpers";
import type { PodMetric, PodMetrics } from "./pod-metric.ts";

/** A Pod as the API server returns it. */
export type Pod = Stored<core.Pod>;

/** Times after the start of a pod in which its CPU usage is unreliable, in milliseconds. */
export interface ReadinessRules {
  readonly cpuInitializationPeriodMs: number;
  readonly initialReadinessDelayMs: number;
}

/** Pods grouped by the validity of their metrics. Pods are identified by name. */
export interface PodGroups {
  /** Number of pods with valid metrics. */
  readonly readyCount: number;
  /** Pending pods, and for CPU pods that are not ready yet. Their usage does not reflect the load. */
  readonly unready: ReadonlySet<string>;
  /** Pods without metrics. */
  readonly missing: ReadonlySet<string>;
  /** Failed and terminating pods. */
  readonly ignored: ReadonlySet<string>;
}

/**
 * Groups the pods of a target. Readiness matters only for CPU, because starting needs CPU that is not caused by the
 * load.
 */
export function groupPods(
  pods: readonly Pod[],
  metrics: PodMetrics,
  resource: string,
  rules: ReadinessRules,
  now: Date,
): PodGroups {
  const unready = new Set<string>();
  const missing = new Set<string>();
  const ignored = new Set<string>();
  let readyCount = 0;
  for (const pod of pods) {
    const { name, deletionTimestamp } = pod.metadata;
    const phase = pod.status?.phase;
    const metric = metrics.get(name);
    if (deletionTimestamp !== undefined || phase === "Failed") ignored.add(name);
    else if (phase === "Pending") unready.add(name);
    else if (metric === undefined) missing.add(name);
    else if (resource === "cpu" && isStarting(pod, metric, rules, now)) unready.add(name);
    else readyCount += 1;
  }
  return { readyCount, unready, missing, ignored };
}

/** Whether the CPU usage of a pod is not reliable yet, because it has just started or has never been ready. */
function isStarting(pod: Pod, metric: PodMetric, rules: ReadinessRules, now: Date): boolean {
  const ready = podCondition(pod, "Ready");
  const startTime = pod.status?.startTime;
  if (ready === undefined || startTime === undefined) return true;
  const startedMs = Date.parse(startTime);
  const changedMs = ready.lastTransitionTime === undefined ? 0 : Date.parse(ready.lastTransitionTime);
  if (startedMs + rules.cpuInitializationPeriodMs > now.getTime()) {
    // The metric must cover a whole window since the pod became ready.
    return ready.status === "False" || metric.timestampMs < changedMs + metric.windowMs;
  }
  // The pod is not ready and has never been ready.
  return ready.status === "False" && startedMs + rules.initialReadinessDelayMs > changedMs;
}
