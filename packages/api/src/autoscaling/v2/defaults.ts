import type { Draft } from "@orchernetes/apimachinery";
import type { HorizontalPodAutoscaler, HPAScalingPolicy, HPAScalingRules, MetricSpec } from "./types.ts";

/** Target utilization of CPU if there are no metrics, in per cent of the request. */
export const defaultCpuUtilization = 80;

/** The metric of an autoscaler without metrics. */
const defaultMetric = (): Draft<MetricSpec> => ({
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization: defaultCpuUtilization } },
});

/** The interval in which the autoscaler syncs by default, so that each sync may take a full step. */
const periodSeconds = 15;
const scaleUpPolicies = (): Draft<HPAScalingPolicy>[] => [
  { type: "Pods", value: 4, periodSeconds },
  { type: "Percent", value: 100, periodSeconds },
];
const scaleDownPolicies = (): Draft<HPAScalingPolicy>[] => [{ type: "Percent", value: 100, periodSeconds }];

/**
 * Sets the defaults of a HorizontalPodAutoscaler: at least one replica, and 80 % of the requested CPU.
 *
 * An absent `behavior` stays absent: the controller then uses its own flags (`--horizontal-pod-autoscaler-downscale-stabilization`).
 * For the same reason the stabilization window of scaling down has no default (KEP-853).
 */
export function defaultAutoscaler({ spec }: Draft<HorizontalPodAutoscaler>): void {
  spec.minReplicas ??= 1;
  if ((spec.metrics ?? []).length === 0) {
    spec.metrics = [defaultMetric()];
  }
  if (spec.behavior !== undefined) {
    spec.behavior.scaleUp = withDefaults(spec.behavior.scaleUp, scaleUpPolicies);
    spec.behavior.scaleUp.stabilizationWindowSeconds ??= 0;
    spec.behavior.scaleDown = withDefaults(spec.behavior.scaleDown, scaleDownPolicies);
  }
}

function withDefaults(
  rules: Draft<HPAScalingRules> | undefined,
  policies: () => Draft<HPAScalingPolicy>[],
): Draft<HPAScalingRules> {
  return {
    ...rules,
    selectPolicy: rules?.selectPolicy ?? "Max",
    policies: rules?.policies ?? policies(),
  };
}
