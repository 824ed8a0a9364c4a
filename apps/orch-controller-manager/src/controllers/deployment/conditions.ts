import type { apps } from "@orchernetes/api";
import { formatTime } from "@orchernetes/apimachinery";
import { findCondition } from "@orchernetes/component-helpers";

type Condition = apps.DeploymentCondition;

/** A condition of a Deployment with both of its times set to now. */
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

/**
 * Sets a condition. Nothing changes if status and reason are the same; the transition time changes only with the
 * status.
 */
export function setCondition(conditions: readonly Condition[], next: Condition): readonly Condition[] {
  const known = findCondition(conditions, next.type);
  if (known !== undefined && known.status === next.status && known.reason === next.reason) return conditions;
  const kept =
    known?.status === next.status && known.lastTransitionTime !== undefined
      ? { ...next, lastTransitionTime: known.lastTransitionTime }
      : next;
  return [...removeCondition(conditions, next.type), kept];
}

/** Removes the condition of a type, if there is one. */
export function removeCondition(conditions: readonly Condition[], type: string): readonly Condition[] {
  return conditions.filter((known) => known.type !== type);
}
