import type { MetricsPoint } from "./metrics-point.ts";

/** The points of a pod by container name; never empty. */
export type PodPoints = ReadonlyMap<string, MetricsPoint>;

/** What one reading of all nodes has found. */
export interface MetricsBatch {
  /** By the name of the node. */
  readonly nodes: ReadonlyMap<string, MetricsPoint>;
  /** By `namespace/name` of the pod. */
  readonly pods: ReadonlyMap<string, PodPoints>;
}
