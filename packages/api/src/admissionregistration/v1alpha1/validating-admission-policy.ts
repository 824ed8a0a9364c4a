import { defineResource } from "@orchernetes/apimachinery";
import { allVerbs, erase, subresourceVerbs } from "../../shared/definitions.ts";
import { keep, keepMetadata } from "../../shared/drafts.ts";
import { policyColumns } from "../v1beta1/columns.ts";
import { defaultMatchResources } from "../v1beta1/match-resources.ts";
import { validatePolicy, validatePolicyStatus } from "../v1beta1/policy-validation.ts";
import { validatingAdmissionPolicies as stored } from "../v1beta1/validating-admission-policy.ts";
import { policyFromStored, policyToStored } from "./conversion.ts";
import { ValidatingAdmissionPolicy } from "./types.ts";

/** `admissionregistration.o8s.io/v1alpha1` policies, the first view of those of v1beta1. */
export const validatingAdmissionPolicies = defineResource<ValidatingAdmissionPolicy>({
  group: "admissionregistration.o8s.io",
  version: "v1alpha1",
  kind: "ValidatingAdmissionPolicy",
  plural: "validatingadmissionpolicies",
  singular: "validatingadmissionpolicy",
  categories: ["api-extensions"],
  scope: "Cluster",
  verbs: allVerbs,
  schema: ValidatingAdmissionPolicy,
  storagePrefix: "/registry/validatingadmissionpolicies",
  storedAs: { definition: erase(stored), toStored: policyToStored, fromStored: policyFromStored },
  applyDefaults: ({ spec }) => {
    spec.failurePolicy ??= "Fail";
    if (spec.matchConstraints !== undefined) defaultMatchResources(spec.matchConstraints);
  },
  strategy: {
    prepareForCreate: (policy) => {
      policy.status = {};
    },
    validate: (policy, ctx) => validatePolicy(policyToStored(policy), ctx),
    prepareForUpdate: (policy, old) => keep(policy, old, "status"),
    validateUpdate: (policy, old, ctx) => validatePolicy(policyToStored(policy), ctx, policyToStored(old)),
    generation: ({ spec }) => spec,
    allowUnconditionalUpdate: false,
  },
  columns: policyColumns(),
  subresources: {
    status: {
      type: "status",
      verbs: subresourceVerbs,
      strategy: {
        prepareForUpdate: (policy, old) => {
          keep(policy, old, "spec");
          keepMetadata(policy, old);
        },
        validateUpdate: (policy) => validatePolicyStatus(policyToStored(policy)),
      },
    },
  },
});
