import type { autoscalingV2 } from "@orchernetes/api";
import { formatTime } from "@orchernetes/apimachinery";

export type Condition = autoscalingV2.HorizontalPodAutoscalerCondition;
export type ConditionType = "AbleToScale" | "ScalingActive" | "ScalingLimited";

/** Conditions with one put in its place. The transition time changes with the status alone. */
export function setCondition(
  conditions: readonly Condition[],
  next: Omit<Condition, "lastTransitionTime"> & { readonly type: ConditionType },
  now: Date,
): readonly Condition[] {
  const at = conditions.findIndex(({ type }) => type === next.type);
  const known = conditions[at];
  const lastTransitionTime =
    known?.status === next.status && known.lastTransitionTime !== undefined
      ? known.lastTransitionTime
      : formatTime(now);
  const made = { ...next, lastTransitionTime };
  return known === undefined ? [...conditions, made] : conditions.with(at, made);
}
