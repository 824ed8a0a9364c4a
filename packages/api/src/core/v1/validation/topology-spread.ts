import {
  type FieldError,
  type FieldPath,
  field,
  validateLabelName,
  validateLabelSelector,
} from "@orchernetes/apimachinery";
import { requireOneOf } from "../../../shared/report.ts";
import type { TopologySpreadConstraint } from "../types/affinity.ts";

const policies: readonly string[] = ["Honor", "Ignore"];
const actions: readonly string[] = ["DoNotSchedule", "ScheduleAnyway"];

/**
 * Validates topology spread constraints (KEP-895). Each pair of topology key and action may occur once; as upstream
 * does, a repeated pair is reported at every occurrence but the last.
 */
export function validateTopologySpread(
  constraints: readonly TopologySpreadConstraint[] | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  const list = constraints ?? [];
  const last = new Map(list.map((constraint, i) => [spreadKey(constraint), i]));
  for (const [i, constraint] of list.entries()) {
    validateConstraint(constraint, last.get(spreadKey(constraint)) !== i, path.index(i), errors);
  }
}

// JSON, since a separator could be part of the unvalidated key or action.
const spreadKey = ({ topologyKey, whenUnsatisfiable }: TopologySpreadConstraint): string =>
  JSON.stringify([topologyKey, whenUnsatisfiable]);

/**
 * Validates one constraint. `minDomains` (KEP-3022) needs DoNotSchedule: it makes the scheduler leave pods pending
 * until there are enough domains, which ScheduleAnyway never does.
 */
function validateConstraint(
  constraint: TopologySpreadConstraint,
  comesAgain: boolean,
  path: FieldPath,
  errors: FieldError[],
): void {
  const { maxSkew, topologyKey, whenUnsatisfiable: action, minDomains } = constraint;
  if (!(maxSkew > 0)) {
    errors.push(field.invalid(path.child("maxSkew"), maxSkew ?? 0, "must be greater than zero"));
  }
  if (!topologyKey) {
    errors.push(field.required(path.child("topologyKey"), "can not be empty"));
  } else {
    errors.push(...validateLabelName(topologyKey, path.child("topologyKey")));
  }
  requireOneOf(errors, action ?? "", actions, path, "whenUnsatisfiable");
  if (comesAgain) {
    errors.push(field.duplicate(path.child("{topologyKey, whenUnsatisfiable}"), `{${topologyKey}, ${action}}`));
  }
  if (minDomains !== undefined) {
    if (minDomains <= 0) {
      errors.push(field.invalid(path.child("minDomains"), minDomains, "must be greater than zero"));
    }
    if (action !== "DoNotSchedule") {
      const detail = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`;
      errors.push(field.invalid(path.child("minDomains"), minDomains, detail));
    }
  }
  for (const name of ["nodeAffinityPolicy", "nodeTaintsPolicy"] as const) {
    const policy = constraint[name];
    if (policy !== undefined) {
      requireOneOf(errors, policy, policies, path, name);
    }
  }
  validateMatchLabelKeys(constraint, path, errors);
  errors.push(...validateLabelSelector(constraint.labelSelector, path.child("labelSelector")));
}

/**
 * Validates `matchLabelKeys` (KEP-3243). Their values are taken from the pod and added to the selector, so a selector
 * is needed and must not already have a requirement on the same key.
 */
function validateMatchLabelKeys(constraint: TopologySpreadConstraint, path: FieldPath, errors: FieldError[]): void {
  const { matchLabelKeys = [], labelSelector } = constraint;
  if (matchLabelKeys.length === 0) {
    return;
  }
  if (labelSelector === undefined) {
    const detail = "must not be specified when labelSelector is not set";
    errors.push(field.forbidden(path.child("matchLabelKeys"), detail));
    return;
  }
  const selected = new Set([
    ...Object.keys(labelSelector.matchLabels ?? {}),
    ...(labelSelector.matchExpressions ?? []).map((expression) => expression.key),
  ]);
  for (const [i, key] of matchLabelKeys.entries()) {
    const at = path.child("matchLabelKeys").index(i);
    errors.push(...validateLabelName(key, at));
    if (selected.has(key)) {
      errors.push(field.invalid(at, key, "exists in both matchLabelKeys and labelSelector"));
    }
  }
}
