import {
  Condition,
  enumeration,
  type Infer,
  int64,
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
import { MatchCondition } from "../../v1/types/common.ts";
import { MatchResources } from "./common.ts";

const pkg = "admissionregistration/v1alpha1";

export const ValidatingAdmissionPolicy = object(pkg, "ValidatingAdmissionPolicy", () => ({
  metadata: value(1, ObjectMeta),
  spec: value(2, ValidatingAdmissionPolicySpec),
  status: value(3, ValidatingAdmissionPolicyStatus),
}));
export interface ValidatingAdmissionPolicy extends Infer<typeof ValidatingAdmissionPolicy> {}

export const ValidatingAdmissionPolicySpec = message(pkg, "ValidatingAdmissionPolicySpec", () => ({
  paramKind: pointer(1, ParamKind),
  matchConstraints: pointer(2, MatchResources),
  validations: optional(3, list(Validation)),
  failurePolicy: pointer(4, enumeration("Ignore", "Fail")),
  auditAnnotations: optional(5, list(AuditAnnotation)),
  matchConditions: optional(6, list(MatchCondition), { patch: "merge", mergeKey: "name", list: "map", keys: ["name"] }),
}));
export interface ValidatingAdmissionPolicySpec extends Infer<typeof ValidatingAdmissionPolicySpec> {}

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

export const Validation = message(pkg, "Validation", () => ({
  expression: required(1, string),
  message: optional(2, string),
  reason: pointer(3, string),
  messageExpression: optional(4, string),
}));
export interface Validation extends Infer<typeof Validation> {}

export const AuditAnnotation = message(pkg, "AuditAnnotation", () => ({
  key: required(1, string),
  valueExpression: required(2, string),
}));
export interface AuditAnnotation extends Infer<typeof AuditAnnotation> {}

export const ValidatingAdmissionPolicyStatus = message(pkg, "ValidatingAdmissionPolicyStatus", () => ({
  observedGeneration: optional(1, int64),
  typeChecking: pointer(2, TypeChecking),
  conditions: optional(3, list(Condition), { list: "map", keys: ["type"] }),
}));
export interface ValidatingAdmissionPolicyStatus extends Infer<typeof ValidatingAdmissionPolicyStatus> {}

export const TypeChecking = message(pkg, "TypeChecking", () => ({
  expressionWarnings: optional(1, list(ExpressionWarning)),
}));
export interface TypeChecking extends Infer<typeof TypeChecking> {}

export const ExpressionWarning = message(pkg, "ExpressionWarning", () => ({
  fieldRef: required(2, string),
  warning: required(3, string),
}));
export interface ExpressionWarning extends Infer<typeof ExpressionWarning> {}

export const ValidatingAdmissionPolicyList = object(pkg, "ValidatingAdmissionPolicyList", () => ({
  metadata: value(1, ListMeta),
  items: optional(2, list(ValidatingAdmissionPolicy)),
}));
export interface ValidatingAdmissionPolicyList extends Infer<typeof ValidatingAdmissionPolicyList> {}
