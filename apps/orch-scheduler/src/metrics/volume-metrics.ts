import type { Metrics } from "@orchernetes/component";

/** A stage of binding a pod's volumes. */
export type VolumeStage = "assume" | "bind";

/** Registers the count of failures to bind volumes, and returns the function that counts one. */
export function volumeMetrics(metrics: Metrics): (stage: VolumeStage) => void {
  const failures = metrics.counter({
    name: "scheduler_volume_scheduling_stage_error_total",
    help: "Number of failures to bind the volumes of a pod, by stage.",
    labelNames: ["operation"],
  });
  // The original has registered it since its cache of decisions about volumes was removed, and never counts.
  metrics.counter({
    name: "scheduler_volume_binder_cache_requests_total",
    help: "Number of requests to the cache of volume binding decisions. It is never incremented.",
    labelNames: ["operation"],
  });
  return (stage) => failures.inc([stage]);
}
