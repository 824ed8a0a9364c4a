import { type ApiObject, canonicalize } from "@orchernetes/apimachinery";
import * as v1beta1 from "../v1beta1/index.ts";
import { ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding } from "./types.ts";

const group = "admissionregistration.o8s.io";

/** The stored form of a policy, which has variables beside. */
export function policyToStored(policy: ValidatingAdmissionPolicy): v1beta1.ValidatingAdmissionPolicy {
  return canonicalize(v1beta1.ValidatingAdmissionPolicy, {
    ...policy,
    apiVersion: `${group}/v1beta1`,
    spec: { ...policy.spec, variables: [] },
  });
}

/** This version's view of a stored policy; it does not show variables. */
export function policyFromStored(stored: ApiObject): ValidatingAdmissionPolicy {
  return canonicalize(ValidatingAdmissionPolicy, { ...stored, apiVersion: `${group}/v1alpha1` });
}

/** The stored form of a binding: the request is rejected if the parameters are missing. */
export function bindingToStored(binding: ValidatingAdmissionPolicyBinding): v1beta1.ValidatingAdmissionPolicyBinding {
  const { paramRef } = binding.spec;
  return canonicalize(v1beta1.ValidatingAdmissionPolicyBinding, {
    ...binding,
    apiVersion: `${group}/v1beta1`,
    spec: { ...binding.spec, paramRef: paramRef && { ...paramRef, parameterNotFoundAction: "Deny" } },
  });
}

/** This version's view of a stored binding; it knows parameters by name only. */
export function bindingFromStored(stored: ApiObject): ValidatingAdmissionPolicyBinding {
  return canonicalize(ValidatingAdmissionPolicyBinding, { ...stored, apiVersion: `${group}/v1alpha1` });
}
