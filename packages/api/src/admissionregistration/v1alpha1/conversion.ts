import { type ApiObject, canonicalize } from "@orchernetes/apimachinery";
import * as v1beta1 from "../v1beta1/index.ts";
import { ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding } from "./types.ts";

const group = "admissionregistration.o8s.io";

/** Converts a policy to the stored form, which has variables in addition. */
export function policyToStored(policy: ValidatingAdmissionPolicy): v1beta1.ValidatingAdmissionPolicy {
  return canonicalize(v1beta1.ValidatingAdmissionPolicy, {
    ...policy,
    apiVersion: `${group}/v1beta1`,
    spec: { ...policy.spec, variables: [] },
  });
}

/** Converts a stored policy to this version, which has no variables. */
export function policyFromStored(stored: ApiObject): ValidatingAdmissionPolicy {
  return canonicalize(ValidatingAdmissionPolicy, { ...stored, apiVersion: `${group}/v1alpha1` });
}

/** Converts a binding to the stored form: missing parameters deny requests. */
export function bindingToStored(binding: ValidatingAdmissionPolicyBinding): v1beta1.ValidatingAdmissionPolicyBinding {
  const { paramRef } = binding.spec;
  return canonicalize(v1beta1.ValidatingAdmissionPolicyBinding, {
    ...binding,
    apiVersion: `${group}/v1beta1`,
    spec: { ...binding.spec, paramRef: paramRef && { ...paramRef, parameterNotFoundAction: "Deny" } },
  });
}

/** Converts a stored binding to this version, which has parameters by name only. */
export function bindingFromStored(stored: ApiObject): ValidatingAdmissionPolicyBinding {
  return canonicalize(ValidatingAdmissionPolicyBinding, { ...stored, apiVersion: `${group}/v1alpha1` });
}
