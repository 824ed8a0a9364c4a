import type { Metrics } from "@orchernetes/component";

/** Counts the agent's work that concerns no pod in particular. */
export interface NodeWorkMetrics {
  /** The status of a pod was written to the API server. @param ms time since the status changed */
  statusWritten(ms: number): void;
  /** Containers of a pod that no source has were found in the runtime. */
  orphanFound(): void;
  /** The folders of unknown pods were removed, or could not be. */
  foldersRemoved(removed: number, failed: number): void;
  /** The use of a volume was measured. @param source how: `du`, `statfs`, or the name of the driver */
  volumeMeasured(source: string, ms: number): void;
}

/** Adds the metrics of statuses, leftovers of pods, and measurements of volumes. */
export function addNodeWorkMetrics(metrics: Metrics): NodeWorkMetrics {
  const statuses = metrics.histogram({
    name: "orchlet_pod_status_sync_duration_seconds",
    help: "Duration in seconds from a change of the status of a pod until the API server has the latest status of the pod.",
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 20, 30, 45, 60],
  });
  const orphans = metrics.counter({
    name: "orchlet_orphaned_runtime_pods_total",
    help: "Number of pods that were found in the container runtime without a pod worker, for example because they were force deleted while the agent was not running.",
  });
  const cleaned = metrics.gauge({
    name: "orchlet_orphan_pod_cleaned_volumes",
    help: "The total number of orphaned Pods whose volumes were cleaned in the last periodic sweep.",
  });
  const cleanErrors = metrics.gauge({
    name: "orchlet_orphan_pod_cleaned_volumes_errors",
    help: "The number of orphaned Pods whose volumes failed to be cleaned in the last periodic sweep.",
  });
  const volumes = metrics.histogram({
    name: "orchlet_volume_metric_collection_duration_seconds",
    help: "Duration in seconds to calculate volume stats",
    labelNames: ["metric_source"],
  });
  // Nothing is discarded: there is no queue between a relist and the workers.
  metrics.counter({ name: "orchlet_pleg_discard_events", help: "The number of discard events in PLEG." }).inc([], 0);
  orphans.inc([], 0);
  cleaned.set(0);
  cleanErrors.set(0);
  return {
    statusWritten: (ms) => statuses.observe(ms / 1000),
    orphanFound: () => orphans.inc(),
    foldersRemoved(removed, failed) {
      cleaned.set(removed);
      cleanErrors.set(failed);
    },
    volumeMeasured: (source, ms) => volumes.observe(ms / 1000, [source]),
  };
}
