import type { core } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import { podCondition } from "@orchernetes/component-helpers";
import type { PodMetric, PodMetrics } from "./pod-metric.ts";

export type Pod = Stored<core.Pod>;

/** How long after its start a pod's figures are doubtful. Milliseconds. */
export interface ReadinessRules {
  readonly cpuInitializationPeriodMs: number;
  readonly initialReadinessDelayMs: number;
}

/** Pods by what their figures are worth; names, but for the count. */
export interface PodGroups {
  /** Pods whose figures count. */
  readonly readyCount: number;
  /** Pending, or for CPU not ready yet: they use nothing worth counting. */
  readonly unready: ReadonlySet<string>;
  /** Without figures. */
  readonly missing: ReadonlySet<string>;
  /** Failed or on their way out. */
  readonly ignored: ReadonlySet<string>;
}

/** Sorts the pods of a target. Readiness matters for CPU alone: starting costs CPU that says nothing about the load. */
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

function isStarting(pod: Pod, metric: PodMetric, rules: ReadinessRules, now: Date): boolean {
  const ready = podCondition(pod, "Ready");
  const startTime = pod.status?.startTime;
  if (ready === undefined || startTime === undefined) return true;
  const startedMs = Date.parse(startTime);
  const changedMs = ready.lastTransitionTime === undefined ? 0 : Date.parse(ready.lastTransitionTime);
  if (startedMs + rules.cpuInitializationPeriodMs > now.getTime()) {
    // Figures must be of a whole window since the pod became ready.
    return ready.status === "False" || metric.timestampMs < changedMs + metric.windowMs;
  }
  // Not ready, and never has been.
  return ready.status === "False" && startedMs + rules.initialReadinessDelayMs > changedMs;
}
