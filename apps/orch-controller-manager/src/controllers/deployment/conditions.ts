import type { apps } from "@orchernetes/api";
import { formatTime } from "@orchernetes/apimachinery";
import { findCondition } from "@orchernetes/component-helpers";

type Condition = apps.DeploymentCondition;

export function condition(
  type: "Available" | "Progressing" | "ReplicaFailure",
  status: Condition["status"],
  reason: string,
  message: string,
  now: Date,
): Condition {
  const time = formatTime(now);
  return { type, status, lastUpdateTime: time, lastTransitionTime: time, reason, message };
}

/** Conditions with one put in place. Nothing changes while status and reason stay; the transition time only with the status. */
export function setCondition(conditions: readonly Condition[], next: Condition): readonly Condition[] {
  const known = findCondition(conditions, next.type);
  if (known !== undefined && known.status === next.status && known.reason === next.reason) return conditions;
  const kept =
    known?.status === next.status && known.lastTransitionTime !== undefined
      ? { ...next, lastTransitionTime: known.lastTransitionTime }
      : next;
  return [...removeCondition(conditions, next.type), kept];
}

export function removeCondition(conditions: readonly Condition[], type: string): readonly Condition[] {
  return conditions.filter((known) => known.type !== type);
}
