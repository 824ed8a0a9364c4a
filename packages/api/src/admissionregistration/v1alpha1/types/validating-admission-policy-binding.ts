import {
  enumeration,
  type Infer,
  ListMeta,
  list,
  message,
  ObjectMeta,
  object,
  optional,
  pointer,
  string,
  value,
} from "@orchernetes/apimachinery";
import { MatchResources } from "./common.ts";

const pkg = "admissionregistration/v1alpha1";

export const ValidatingAdmissionPolicyBinding = object(pkg, "ValidatingAdmissionPolicyBinding", () => ({
  metadata: value(1, ObjectMeta),
  spec: value(2, ValidatingAdmissionPolicyBindingSpec),
}));
export interface ValidatingAdmissionPolicyBinding extends Infer<typeof ValidatingAdmissionPolicyBinding> {}

export const ValidatingAdmissionPolicyBindingSpec = message(pkg, "ValidatingAdmissionPolicyBindingSpec", () => ({
  policyName: optional(1, string),
  paramRef: pointer(2, ParamRef),
  matchResources: pointer(3, MatchResources),
  validationActions: optional(4, list(enumeration("Deny", "Warn", "Audit")), { list: "set" }),
}));
export interface ValidatingAdmissionPolicyBindingSpec extends Infer<typeof ValidatingAdmissionPolicyBindingSpec> {}

export const ParamRef = message(
  pkg,
  "ParamRef",
  () => ({
    name: optional(1, string),
    namespace: optional(2, string),
  }),
  { atomic: true },
);
export interface ParamRef extends Infer<typeof ParamRef> {}

export const ValidatingAdmissionPolicyBindingList = object(pkg, "ValidatingAdmissionPolicyBindingList", () => ({
  metadata: value(1, ListMeta),
  items: optional(2, list(ValidatingAdmissionPolicyBinding)),
}));
export interface ValidatingAdmissionPolicyBindingList extends Infer<typeof ValidatingAdmissionPolicyBindingList> {}
