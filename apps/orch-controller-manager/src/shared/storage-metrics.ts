import type { Metrics } from "@orchernetes/component";
import type { Clock } from "@orchernetes/kernel";

/** Upper bounds, in seconds, for operations of storage systems; as in the original. */
export const storageBuckets: readonly number[] = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 25, 50, 120, 300, 600];

/** An operation on a volume. */
export interface StorageOperation {
  /** Such as `orchernetes.io/csi:d.example.com`. */
  readonly plugin: string;
  readonly operation: "volume_attach" | "volume_detach" | "volume_delete" | "volume_provision" | "expand_volume";
  /** Whether a CSI driver does it for an in-tree kind of volume. @default false */
  readonly migrated?: boolean;
}

/** Name of the plugin of a CSI driver in metrics. */
export const csiPluginName = (driver: string): string => `orchernetes.io/csi:${driver}`;

/**
 * Durations of operations (`storage_operation_duration_seconds`). Controllers share the metric.
 *
 * @returns starts an operation; what that returns ends it, once
 */
export function storageOperations(
  metrics: Metrics,
  clock: Clock,
): (operation: StorageOperation) => (status: "success" | "fail-unknown") => void {
  const durations = metrics.histogram({
    name: "storage_operation_duration_seconds",
    help: "Durations of operations on volumes, in seconds.",
    labelNames: ["volume_plugin", "operation_name", "status", "migrated"],
    buckets: storageBuckets,
  });
  return ({ plugin, operation, migrated = false }) => {
    const startMs = clock.monotonicMs();
    return (status) =>
      durations.observe((clock.monotonicMs() - startMs) / 1000, [plugin, operation, status, String(migrated)]);
  };
}
