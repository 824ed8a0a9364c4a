import {
  type Draft,
  type FieldError,
  type FieldPath,
  field,
  isPathSegmentName,
  validateLabelSelector,
} from "@orchernetes/apimachinery";
import { repeatedItems } from "../../shared/repeated.ts";
import { validateRule } from "../v1/webhook-validation.ts";
import type { MatchResources, NamedRuleWithOperations } from "./types.ts";

const matchPolicies = ["Equivalent", "Exact"];

/** Sets the defaults of a selection of objects: all of them, in every version. */
export function defaultMatchResources(resources: Draft<MatchResources>): void {
  resources.matchPolicy ??= "Equivalent";
  resources.namespaceSelector ??= {};
  resources.objectSelector ??= {};
  for (const rule of [...(resources.resourceRules ?? []), ...(resources.excludeResourceRules ?? [])]) {
    rule.scope ??= "*";
  }
}

function validateNamedRule(rule: NamedRuleWithOperations, path: FieldPath): FieldError[] {
  const names = rule.resourceNames ?? [];
  const at = path.child("resourceNames");
  const repeated = repeatedItems(names, (name) => name);
  const errors = names.flatMap((name, i) => [
    ...isPathSegmentName(name).map((message) => field.invalid(at.index(i), name, message)),
    ...(repeated.has(i) ? [field.duplicate(at.index(i), name)] : []),
  ]);
  return [...errors, ...validateRule(rule, path)];
}

/** Validates the selection of objects; an absent one passes. */
export function validateMatchResources(resources: MatchResources | undefined, path: FieldPath): FieldError[] {
  if (resources === undefined) return [];
  const errors: FieldError[] = [];
  const { matchPolicy, namespaceSelector, objectSelector, resourceRules = [], excludeResourceRules = [] } = resources;
  if (matchPolicy === undefined) errors.push(field.required(path.child("matchPolicy")));
  else if (!matchPolicies.includes(matchPolicy)) {
    errors.push(field.notSupported(path.child("matchPolicy"), matchPolicy, matchPolicies));
  }
  if (namespaceSelector === undefined) errors.push(field.required(path.child("namespaceSelector")));
  else errors.push(...validateLabelSelector(namespaceSelector, path.child("namespaceSelector")));
  // The path of Kubernetes 1.27: the field's internal name.
  if (objectSelector === undefined) errors.push(field.required(path.child("labelSelector")));
  else errors.push(...validateLabelSelector(objectSelector, path.child("labelSelector")));
  for (const [i, rule] of resourceRules.entries()) {
    errors.push(...validateNamedRule(rule, path.child("resourceRules").index(i)));
  }
  for (const [i, rule] of excludeResourceRules.entries()) {
    errors.push(...validateNamedRule(rule, path.child("excludeResourceRules").index(i)));
  }
  return errors;
}
