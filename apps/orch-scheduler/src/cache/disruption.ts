import type { core } from "@orchernetes/api";
import { findCondition } from "@orchernetes/component-helpers";

/** Type of the condition of a pod that is about to be ended because of a disruption. */
export const DISRUPTION_TARGET = "DisruptionTarget";

/** Its reason when a scheduler preempts the pod. */
export const PREEMPTION_BY_SCHEDULER = "PreemptionByScheduler";

/** Whether a pod says that a scheduler preempts it. */
export function isPreempted({ conditions }: core.PodStatus): boolean {
  const condition = findCondition(conditions, DISRUPTION_TARGET);
  return condition?.status === "True" && condition.reason === PREEMPTION_BY_SCHEDULER;
}
