import {
  Condition,
  embed,
  enumeration,
  type Infer,
  int64,
  LabelSelector,
  ListMeta,
  list,
  message,
  ObjectMeta,
  object,
  optional,
  pointer,
  required,
  string,
  value,
} from "@orchernetes/apimachinery";
import { MatchCondition, RuleWithOperations } from "../v1/types.ts";

const pkg = "admissionregistration/v1beta1";

/** Which requests a policy is about. */
export const MatchResources = message(
  pkg,
  "MatchResources",
  () => ({
    namespaceSelector: pointer(1, LabelSelector),
    objectSelector: pointer(2, LabelSelector),
    resourceRules: optional(3, list(NamedRuleWithOperations)),
    excludeResourceRules: optional(4, list(NamedRuleWithOperations)),
    matchPolicy: pointer(7, enumeration("Exact", "Equivalent")),
  }),
  { atomic: true },
);
export interface MatchResources extends Infer<typeof MatchResources> {}

/** Some operations on some resources, and maybe only on objects of some names. */
export const NamedRuleWithOperations = message(
  pkg,
  "NamedRuleWithOperations",
  () => ({
    resourceNames: optional(1, list(string)),
    ...embed(2, "ruleWithOperations", RuleWithOperations),
  }),
  { atomic: true },
);
export interface NamedRuleWithOperations extends Infer<typeof NamedRuleWithOperations> {}

/** CEL rules that objects must follow. A policy has no effect without a binding. Source: KEP-3488. */
export const ValidatingAdmissionPolicy = object(pkg, "ValidatingAdmissionPolicy", () => ({
  metadata: value(1, ObjectMeta),
  spec: value(2, ValidatingAdmissionPolicySpec),
  status: value(3, ValidatingAdmissionPolicyStatus),
}));
export interface ValidatingAdmissionPolicy extends Infer<typeof ValidatingAdmissionPolicy> {}

/** Which objects a policy checks, and how. */
export const ValidatingAdmissionPolicySpec = message(pkg, "ValidatingAdmissionPolicySpec", () => ({
  paramKind: pointer(1, ParamKind),
  matchConstraints: pointer(2, MatchResources),
  validations: optional(3, list(Validation)),
  failurePolicy: pointer(4, enumeration("Ignore", "Fail")),
  auditAnnotations: optional(5, list(AuditAnnotation)),
  matchConditions: optional(6, list(MatchCondition), { patch: "merge", mergeKey: "name", list: "map", keys: ["name"] }),
  variables: value(7, list(Variable), { pointer: true, patch: "merge", mergeKey: "name", list: "map", keys: ["name"] }),
}));
export interface ValidatingAdmissionPolicySpec extends Infer<typeof ValidatingAdmissionPolicySpec> {}

/** Kind of the objects that hold a policy's parameters. */
export const ParamKind = message(
  pkg,
  "ParamKind",
  () => ({
    apiVersion: optional(1, string),
    kind: optional(2, string),
  }),
  { atomic: true },
);
export interface ParamKind extends Infer<typeof ParamKind> {}

/** Something that must be true of an object. */
export const Validation = message(pkg, "Validation", () => ({
  expression: required(1, string),
  message: optional(2, string),
  reason: pointer(3, string),
  messageExpression: optional(4, string),
}));
export interface Validation extends Infer<typeof Validation> {}

/** A named expression. */
export const Variable = message(
  pkg,
  "Variable",
  () => ({
    name: required(1, string),
    expression: required(2, string),
  }),
  { atomic: true },
);
export interface Variable extends Infer<typeof Variable> {}

/** An annotation of the audit event. */
export const AuditAnnotation = message(pkg, "AuditAnnotation", () => ({
  key: required(1, string),
  valueExpression: required(2, string),
}));
export interface AuditAnnotation extends Infer<typeof AuditAnnotation> {}

/** What was found about a policy. */
export const ValidatingAdmissionPolicyStatus = message(pkg, "ValidatingAdmissionPolicyStatus", () => ({
  observedGeneration: optional(1, int64),
  typeChecking: pointer(2, TypeChecking),
  conditions: optional(3, list(Condition), { list: "map", keys: ["type"] }),
}));
export interface ValidatingAdmissionPolicyStatus extends Infer<typeof ValidatingAdmissionPolicyStatus> {}

/** What a type check of the expressions found. */
export const TypeChecking = message(pkg, "TypeChecking", () => ({
  expressionWarnings: optional(1, list(ExpressionWarning)),
}));
export interface TypeChecking extends Infer<typeof TypeChecking> {}

/** An expression that looks wrong. */
export const ExpressionWarning = message(pkg, "ExpressionWarning", () => ({
  fieldRef: required(2, string),
  warning: required(3, string),
}));
export interface ExpressionWarning extends Infer<typeof ExpressionWarning> {}

export const ValidatingAdmissionPolicyList = object(pkg, "ValidatingAdmissionPolicyList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(ValidatingAdmissionPolicy)),
}));
export interface ValidatingAdmissionPolicyList extends Infer<typeof ValidatingAdmissionPolicyList> {}

/**
 * Puts a policy to use: for these requests, with these parameters, with this effect. A policy can have many bindings; each is
 * checked by itself.
 */
export const ValidatingAdmissionPolicyBinding = object(pkg, "ValidatingAdmissionPolicyBinding", () => ({
  metadata: value(1, ObjectMeta),
  spec: value(2, ValidatingAdmissionPolicyBindingSpec),
}));
export interface ValidatingAdmissionPolicyBinding extends Infer<typeof ValidatingAdmissionPolicyBinding> {}

/** Which policy is put to use, for what and how. */
export const ValidatingAdmissionPolicyBindingSpec = message(pkg, "ValidatingAdmissionPolicyBindingSpec", () => ({
  policyName: optional(1, string),
  paramRef: pointer(2, ParamRef),
  matchResources: pointer(3, MatchResources),
  validationActions: optional(4, list(enumeration("Deny", "Warn", "Audit")), { list: "set" }),
}));
export interface ValidatingAdmissionPolicyBindingSpec extends Infer<typeof ValidatingAdmissionPolicyBindingSpec> {}

/**
 * The objects with the parameters of a policy: exactly one of name and selector is set. With several objects the policy is
 * checked once for each.
 */
export const ParamRef = message(
  pkg,
  "ParamRef",
  () => ({
    name: optional(1, string),
    namespace: optional(2, string),
    selector: pointer(3, LabelSelector),
    parameterNotFoundAction: pointer(4, enumeration("Allow", "Deny")),
  }),
  { atomic: true },
);
export interface ParamRef extends Infer<typeof ParamRef> {}

export const ValidatingAdmissionPolicyBindingList = object(pkg, "ValidatingAdmissionPolicyBindingList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(ValidatingAdmissionPolicyBinding)),
}));
export interface ValidatingAdmissionPolicyBindingList extends Infer<typeof ValidatingAdmissionPolicyBindingList> {}
