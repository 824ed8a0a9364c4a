import type { apiextensions } from "@orchernetes/api";
import { type Draft, formatTime } from "@orchernetes/apimachinery";
import { findCondition, withCondition } from "@orchernetes/component-helpers";

/** Conditions of a definition. */
export type ConditionType =
  | "NamesAccepted"
  | "Established"
  | "Terminating"
  | "NonStructuralSchema"
  | "OrchernetesAPIApprovalPolicyConformant";

/** The desired content of a condition; the time is set when its status changes. */
export interface ConditionState {
  readonly type: ConditionType;
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
}

type Definition = apiextensions.CustomResourceDefinition;

/** A definition's condition of a type; undefined when it has none. */
export function conditionOf(
  definition: Definition,
  type: ConditionType,
): apiextensions.CustomResourceDefinitionCondition | undefined {
  return findCondition(definition.status.conditions, type);
}

/** Whether a definition has a condition of a type, and that is true. */
export function isConditionTrue(definition: Definition, type: ConditionType): boolean {
  return conditionOf(definition, type)?.status === "True";
}

/** Whether a condition says this already. */
export function says(definition: Definition, { type, status, reason, message }: ConditionState): boolean {
  const found = conditionOf(definition, type);
  return found?.status === status && (found.reason ?? "") === reason && (found.message ?? "") === message;
}

/** Sets a condition in place; its time changes only with its status. */
export function setCondition(draft: Draft<Definition>, state: ConditionState, now: Date): void {
  const { type, status, reason, message } = state;
  const made = { type, status, lastTransitionTime: formatTime(now), reason, message };
  draft.status.conditions = [...withCondition(draft.status.conditions, made)];
}
