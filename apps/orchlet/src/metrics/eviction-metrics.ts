import type { Metrics } from "@orchernetes/component";

/** Counts evictions. */
export interface EvictionMetrics {
  /** @param signal of the threshold, or the limit that the pod has exceeded */
  evicted(signal: string): void;
  /** Measures how old the figures are that an eviction is decided by. */
  statsUsed(signal: string, ageSeconds: number): void;
}

/** Adds the metrics of evictions. */
export function addEvictionMetrics(metrics: Metrics): EvictionMetrics {
  const labelNames = ["eviction_signal"] as const;
  const evictions = metrics.counter({
    name: "orchlet_evictions",
    help: "Cumulative number of pod evictions by eviction signal",
    labelNames,
  });
  const age = metrics.histogram({
    name: "orchlet_eviction_stats_age_seconds",
    help: "Time between when stats are collected, and when pod is evicted based on those stats by eviction signal",
    labelNames,
  });
  return {
    evicted: (signal) => evictions.inc([signal]),
    statsUsed: (signal, ageSeconds) => age.observe(ageSeconds, [signal]),
  };
}
