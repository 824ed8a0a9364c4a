import { exponentialBuckets, type Metrics } from "@orchernetes/component";
import type { MetricOutcome } from "./proposal.ts";

/** What a sync did to the number of replicas, or what a metric calls for. */
export type ScalingAction = "scale_up" | "scale_down" | "none";
/** Whether something failed: `spec` if the autoscaler itself is wrong. */
export type ErrorLabel = "spec" | "internal" | "none";

/** Observes syncs of autoscalers; durations are in milliseconds. */
export interface AutoscalingMetrics {
  reconciled(action: ScalingAction, error: ErrorLabel, durationMs: number): void;
  /** @param type of the metric @param current replicas according to the status of the autoscaler */
  computed(type: string, outcome: MetricOutcome, current: number, durationMs: number): void;
}

/** What becomes of a number of replicas. */
export const scalingAction = (from: number, to: number): ScalingAction =>
  to > from ? "scale_up" : to < from ? "scale_down" : "none";

/** The label of a failure. */
export const errorLabel = ({ invalidSpec }: { readonly invalidSpec?: boolean }): ErrorLabel =>
  invalidSpec ? "spec" : "internal";

const buckets = exponentialBuckets(0.001, 2, 15);
const labelNames = ["action", "error"] as const;
const metricLabelNames = [...labelNames, "metric_type"] as const;
const prefix = "horizontal_pod_autoscaler_controller";

/** The metrics `horizontal_pod_autoscaler_controller_*`. */
export function createAutoscalingMetrics(metrics: Metrics): AutoscalingMetrics {
  const reconciliations = metrics.counter({
    name: `${prefix}_reconciliations_total`,
    help: "Number of syncs of autoscalers, by whether they scaled up, down or not, and by the kind of their error.",
    labelNames,
  });
  const reconciliationTime = metrics.histogram({
    name: `${prefix}_reconciliation_duration_seconds`,
    help: "Time in seconds that a sync of an autoscaler takes.",
    labelNames,
    buckets,
  });
  const computations = metrics.counter({
    name: `${prefix}_metric_computation_total`,
    help: "Number of computations of what a metric calls for, by its type.",
    labelNames: metricLabelNames,
  });
  const computationTime = metrics.histogram({
    name: `${prefix}_metric_computation_duration_seconds`,
    help: "Time in seconds that the computation of what a metric calls for takes.",
    labelNames: metricLabelNames,
    buckets,
  });
  return {
    reconciled(action, error, durationMs) {
      reconciliations.inc([action, error]);
      reconciliationTime.observe(durationMs / 1000, [action, error]);
    },
    computed(type, outcome, current, durationMs) {
      const labels =
        outcome.type === "failure"
          ? ["none", errorLabel(outcome), type]
          : [scalingAction(current, outcome.replicas), "none", type];
      computations.inc(labels);
      computationTime.observe(durationMs / 1000, labels);
    },
  };
}
