import type { autoscalingV2 } from "@orchernetes/api";
import { formatTime } from "@orchernetes/apimachinery";
import { withCondition } from "@orchernetes/component-helpers";

export type Condition = autoscalingV2.HorizontalPodAutoscalerCondition;
export type ConditionType = "AbleToScale" | "ScalingActive" | "ScalingLimited";

/** Conditions with one put in its place. The transition time changes with the status alone. */
export function setCondition(
  conditions: readonly Condition[],
  next: Omit<Condition, "lastTransitionTime"> & { readonly type: ConditionType },
  now: Date,
): readonly Condition[] {
  return withCondition<Condition>(conditions, { ...next, lastTransitionTime: formatTime(now) });
}
