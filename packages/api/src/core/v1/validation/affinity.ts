import {
  type FieldError,
  type FieldPath,
  field,
  isDns1123Label,
  isDns1123Subdomain,
  validateLabelName,
  validateLabelSelector,
} from "@orchernetes/apimachinery";
import type {
  Affinity,
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodAffinity,
  PodAffinityTerm,
} from "../types/affinity.ts";

const requiredTerms = "requiredDuringSchedulingIgnoredDuringExecution";
const preferredTerms = "preferredDuringSchedulingIgnoredDuringExecution";

/** Validates the affinity of a pod to nodes, and to other pods. */
export function validateAffinity(affinity: Affinity | undefined, path: FieldPath, errors: FieldError[]): void {
  if (affinity === undefined) {
    return;
  }
  const { nodeAffinity, podAffinity, podAntiAffinity } = affinity;
  if (nodeAffinity !== undefined) {
    const at = path.child("nodeAffinity");
    if (nodeAffinity[requiredTerms] !== undefined) {
      validateNodeSelector(nodeAffinity[requiredTerms], at.child(requiredTerms), errors);
    }
    for (const [i, { weight, preference }] of (nodeAffinity[preferredTerms] ?? []).entries()) {
      validateWeight(weight, at.child(preferredTerms).index(i), errors);
      validateNodeSelectorTerm(preference ?? {}, at.child(preferredTerms).index(i).child("preference"), errors);
    }
  }
  validatePodAffinity(podAffinity, path.child("podAffinity"), errors);
  validatePodAffinity(podAntiAffinity, path.child("podAntiAffinity"), errors);
}

/** Validates the weight of a preference, which the scheduler adds to a node's score. */
function validateWeight(weight: number, path: FieldPath, errors: FieldError[]): void {
  if (!(weight >= 1 && weight <= 100)) {
    errors.push(field.invalid(path.child("weight"), weight ?? 0, "must be in the range 1-100"));
  }
}

/** Validates a node selector: alternatives of which a node must match one. */
export function validateNodeSelector(selector: NodeSelector, path: FieldPath, errors: FieldError[]): void {
  const terms = selector.nodeSelectorTerms ?? [];
  const at = path.child("nodeSelectorTerms");
  if (terms.length === 0) {
    errors.push(field.required(at, "must have at least one node selector term"));
  }
  for (const [i, term] of terms.entries()) {
    validateNodeSelectorTerm(term, at.index(i), errors);
  }
}

/** Validates a term. A term without requirements is allowed, and matches no node. */
function validateNodeSelectorTerm(term: NodeSelectorTerm, path: FieldPath, errors: FieldError[]): void {
  for (const [i, expression] of (term.matchExpressions ?? []).entries()) {
    validateExpression(expression, path.child("matchExpressions").index(i), errors);
  }
  for (const [i, requirement] of (term.matchFields ?? []).entries()) {
    validateFieldRequirement(requirement, path.child("matchFields").index(i), errors);
  }
}

/** Validates a requirement on labels: the number of values depends on the operator. */
function validateExpression(expression: NodeSelectorRequirement, path: FieldPath, errors: FieldError[]): void {
  const count = expression.values?.length ?? 0;
  const values = path.child("values");
  switch (expression.operator) {
    case "In":
    case "NotIn":
      if (count === 0) {
        errors.push(field.required(values, "must be specified when `operator` is 'In' or 'NotIn'"));
      }
      break;
    case "Exists":
    case "DoesNotExist":
      if (count > 0) {
        errors.push(field.forbidden(values, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
      }
      break;
    case "Gt":
    case "Lt":
      if (count !== 1) {
        errors.push(field.required(values, "must be specified single value when `operator` is 'Lt' or 'Gt'"));
      }
      break;
    default:
      errors.push(field.invalid(path.child("operator"), expression.operator ?? "", "not a valid selector operator"));
  }
  errors.push(...validateLabelName(expression.key ?? "", path.child("key")));
}

/** Validates a requirement on fields. Only the name is supported, with one value: DaemonSets pin their pods with it. */
function validateFieldRequirement(requirement: NodeSelectorRequirement, path: FieldPath, errors: FieldError[]): void {
  const values = requirement.values ?? [];
  if (requirement.operator !== "In" && requirement.operator !== "NotIn") {
    errors.push(field.invalid(path.child("operator"), requirement.operator ?? "", "not a valid selector operator"));
  } else if (values.length !== 1) {
    const detail = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
    errors.push(field.required(path.child("values"), detail));
  }
  if (requirement.key !== "metadata.name") {
    errors.push(field.invalid(path.child("key"), requirement.key ?? "", "not a valid field selector key"));
    return;
  }
  for (const [i, value] of values.entries()) {
    for (const message of isDns1123Subdomain(value)) {
      errors.push(field.invalid(path.child("values").index(i), value, message));
    }
  }
}

/** Validates affinity or anti-affinity to other pods, which have the same form. */
function validatePodAffinity(affinity: PodAffinity | undefined, path: FieldPath, errors: FieldError[]): void {
  for (const [i, term] of (affinity?.[requiredTerms] ?? []).entries()) {
    validatePodAffinityTerm(term, path.child(requiredTerms).index(i), errors);
  }
  for (const [i, { weight, podAffinityTerm }] of (affinity?.[preferredTerms] ?? []).entries()) {
    const at = path.child(preferredTerms).index(i);
    validateWeight(weight, at, errors);
    validatePodAffinityTerm(podAffinityTerm ?? { topologyKey: "" }, at.child("podAffinityTerm"), errors);
  }
}

/** Validates a term of pod affinity. The topology key is required: without one, "near" has no meaning. */
function validatePodAffinityTerm(term: PodAffinityTerm, path: FieldPath, errors: FieldError[]): void {
  // Upstream 1.27 reports selector errors at `matchExpressions` instead of `labelSelector`.
  errors.push(
    ...validateLabelSelector(term.labelSelector, path.child("matchExpressions")),
    ...validateLabelSelector(term.namespaceSelector, path.child("namespaceSelector")),
  );
  for (const name of term.namespaces ?? []) {
    for (const message of isDns1123Label(name)) {
      errors.push(field.invalid(path.child("namespace"), name, message));
    }
  }
  const key = term.topologyKey ?? "";
  if (key === "") {
    errors.push(field.required(path.child("topologyKey"), "can not be empty"));
  }
  errors.push(...validateLabelName(key, path.child("topologyKey")));
}
