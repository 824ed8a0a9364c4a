import type { Draft } from "@orchernetes/apimachinery";
import type { HorizontalPodAutoscaler, HPAScalingPolicy, HPAScalingRules, MetricSpec } from "./types.ts";

/** Utilization of CPU that pods are kept at when nothing else is asked for, in percent. */
export const defaultCpuUtilization = 80;

/** The metric of autoscalers that name none. */
const defaultMetric = (): Draft<MetricSpec> => ({
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization: defaultCpuUtilization } },
});

const periodSeconds = 15;
const scaleUpPolicies = (): Draft<HPAScalingPolicy>[] => [
  { type: "Pods", value: 4, periodSeconds },
  { type: "Percent", value: 100, periodSeconds },
];
const scaleDownPolicies = (): Draft<HPAScalingPolicy>[] => [{ type: "Percent", value: 100, periodSeconds }];

/** Defaults of a HorizontalPodAutoscaler: one replica at least, 80% CPU; where behavior is given, the rest of it. */
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
