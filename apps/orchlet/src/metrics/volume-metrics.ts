import type { Metrics } from "@orchernetes/component";
import type { PodVolumeUsage } from "../stats/usage-source.ts";

/** The families, with their help and value. */
const families: readonly (readonly [
  name: string,
  help: string,
  value: (usage: PodVolumeUsage) => number | undefined,
])[] = [
  ["available_bytes", "Number of available bytes in the volume", (usage) => usage.availableBytes],
  ["capacity_bytes", "Capacity in bytes of the volume", (usage) => usage.capacityBytes],
  ["used_bytes", "Number of used bytes in the volume", (usage) => usage.usedBytes],
  ["inodes", "Maximum number of inodes in the volume", (usage) => usage.inodes],
  ["inodes_free", "Number of free inodes in the volume", (usage) => usage.inodesFree],
  ["inodes_used", "Number of used inodes in the volume", (usage) => usage.inodesUsed],
  [
    "health_status_abnormal",
    "Abnormal volume health status. The count is either 1 or 0. 1 indicates the volume is unhealthy, 0 indicates volume is healthy",
    (usage) => (usage.health === undefined ? undefined : Number(usage.health.abnormal)),
  ],
];

/** Adds the metrics of volumes of claims, which are read when the page is. A claim that several pods use is shown once. */
export function addVolumeMetrics(metrics: Metrics, usages: () => readonly PodVolumeUsage[]): void {
  for (const [name, help, value] of families)
    metrics.gauge({
      name: `orchlet_volume_stats_${name}`,
      help,
      labelNames: ["namespace", "persistentvolumeclaim"],
      collect(gauge) {
        gauge.reset();
        for (const usage of usages()) {
          const found = value(usage);
          if (usage.pvcRef !== undefined && found !== undefined)
            gauge.set(found, [usage.pvcRef.namespace, usage.pvcRef.name]);
        }
      },
    });
}
