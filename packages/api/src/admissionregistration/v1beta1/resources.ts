import type { ResourceDefinition } from "@orchernetes/apimachinery";
import { erase } from "../../meta/erase.ts";
import { validatingAdmissionPolicies } from "./validating-admission-policy.ts";
import { validatingAdmissionPolicyBindings } from "./validating-admission-policy-binding.ts";

/** Resources of `admissionregistration.o8s.io/v1beta1`. */
export const admissionregistrationV1beta1: readonly ResourceDefinition[] = [
  erase(validatingAdmissionPolicies),
  erase(validatingAdmissionPolicyBindings),
];
