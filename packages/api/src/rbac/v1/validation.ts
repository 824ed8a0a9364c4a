import {
  type FieldError,
  type FieldPath,
  field,
  goStruct,
  isDns1123Subdomain,
  isPathSegmentName,
  validateLabelSelector,
} from "@orchernetes/apimachinery";
import { semanticEqual } from "../../shared/immutable.ts";
import type { ClusterRole, PolicyRule, RoleRef, Subject } from "./types.ts";

/** The API group of roles and of user and group subjects. */
export const rbacGroup = "rbac.authorization.o8s.io";

/** Validates the policy rules of a Role or ClusterRole. */
export function validatePolicyRules(rules: readonly PolicyRule[] | undefined, namespaced: boolean): FieldError[] {
  const path = field("rules");
  return (rules ?? []).flatMap((rule, i) => validatePolicyRule(rule, namespaced, path.index(i)));
}

/**
 * Validates a rule: about resources or about URLs, never both. Namespaced roles cannot grant URLs, which belong to no
 * namespace.
 */
function validatePolicyRule(rule: PolicyRule, namespaced: boolean, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const isEmpty = (list: readonly string[] | undefined | null): boolean => (list ?? []).length === 0;
  if (isEmpty(rule.verbs)) {
    errors.push(field.required(path.child("verbs"), "verbs must contain at least one value"));
  }
  if (!isEmpty(rule.nonResourceURLs)) {
    const at = path.child("nonResourceURLs");
    if (namespaced) {
      errors.push(field.invalid(at, rule.nonResourceURLs, "namespaced rules cannot apply to non-resource URLs"));
    }
    if (!isEmpty(rule.apiGroups) || !isEmpty(rule.resources) || !isEmpty(rule.resourceNames)) {
      const detail = "rules cannot apply to both regular resources and non-resource URLs";
      errors.push(field.invalid(at, rule.nonResourceURLs, detail));
    }
    return errors;
  }
  if (isEmpty(rule.apiGroups)) {
    errors.push(field.required(path.child("apiGroups"), "resource rules must supply at least one api group"));
  }
  if (isEmpty(rule.resources)) {
    errors.push(field.required(path.child("resources"), "resource rules must supply at least one resource"));
  }
  return errors;
}

/** Validates a ClusterRole. */
export function validateClusterRole(role: ClusterRole): FieldError[] {
  const errors = validatePolicyRules(role.rules, false);
  if (role.aggregationRule === undefined) {
    return errors;
  }
  const selectors = role.aggregationRule.clusterRoleSelectors ?? [];
  const path = field("aggregationRule").child("clusterRoleSelectors");
  if (selectors.length === 0) {
    const detail = "at least one clusterRoleSelector required if aggregationRule is non-nil";
    errors.push(field.required(path, detail));
  }
  return [...errors, ...selectors.flatMap((selector, i) => validateLabelSelector(selector, path.index(i)))];
}

/** Validates the role that a binding refers to; `kinds` are the permitted kinds. */
export function validateRoleRef(roleRef: RoleRef, kinds: readonly string[]): FieldError[] {
  const path = field("roleRef");
  const errors: FieldError[] = [];
  if (roleRef.apiGroup !== rbacGroup) {
    errors.push(field.notSupported(path.child("apiGroup"), roleRef.apiGroup, [rbacGroup]));
  }
  if (!kinds.includes(roleRef.kind)) {
    errors.push(field.notSupported(path.child("kind"), roleRef.kind, kinds));
  }
  const name = path.child("name");
  if (roleRef.name === "") {
    errors.push(field.required(name));
  } else {
    errors.push(...isPathSegmentName(roleRef.name).map((message) => field.invalid(name, roleRef.name, message)));
  }
  return errors;
}

/**
 * Validates that the role of a binding does not change: another role is another grant, which must be authorized as one
 * (escalation check).
 */
export function validateRoleRefUnchanged(roleRef: RoleRef, old: RoleRef): FieldError[] {
  if (semanticEqual(roleRef, old)) {
    return [];
  }
  const { apiGroup, kind, name } = roleRef;
  const printed = goStruct("rbac.RoleRef", { APIGroup: apiGroup, Kind: kind, Name: name });
  return [field.invalid("roleRef", printed, "cannot change roleRef")];
}

/** Validates the subjects of a binding. In a RoleBinding, service accounts may omit the namespace. */
export function validateSubjects(subjects: readonly Subject[] | undefined, namespaced: boolean): FieldError[] {
  const path = field("subjects");
  return (subjects ?? []).flatMap((subject, i) => validateSubject(subject, namespaced, path.index(i)));
}

function validateSubject(subject: Subject, namespaced: boolean, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (subject.name === "") {
    errors.push(field.required(path.child("name")));
  }
  const group = subject.apiGroup ?? "";
  switch (subject.kind) {
    case "ServiceAccount":
      if (subject.name !== "") {
        const at = path.child("name");
        errors.push(...isDns1123Subdomain(subject.name).map((message) => field.invalid(at, subject.name, message)));
      }
      if (group !== "") {
        errors.push(field.notSupported(path.child("apiGroup"), group, [""]));
      }
      if (!namespaced && (subject.namespace ?? "") === "") {
        errors.push(field.required(path.child("namespace")));
      }
      return errors;
    case "User":
    case "Group":
      if (group !== rbacGroup) {
        errors.push(field.notSupported(path.child("apiGroup"), group, [rbacGroup]));
      }
      return errors;
    default:
      return [...errors, field.notSupported(path.child("kind"), subject.kind, ["ServiceAccount", "User", "Group"])];
  }
}
