import { resourceDefinitions } from "@orchernetes/apimachinery";
import { validatingAdmissionPolicies } from "./validating-admission-policy.ts";
import { validatingAdmissionPolicyBindings } from "./validating-admission-policy-binding.ts";

export * from "./types.ts";
export * from "./validating-admission-policy.ts";
export * from "./validating-admission-policy-binding.ts";

/** Resources of `admissionregistration.o8s.io/v1beta1`. */
export const admissionregistrationV1beta1 = resourceDefinitions(
  validatingAdmissionPolicies,
  validatingAdmissionPolicyBindings,
);
