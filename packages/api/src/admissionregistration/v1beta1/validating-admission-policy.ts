import { type Draft, defineResource } from "@orchernetes/apimachinery";
import { allVerbs, subresourceVerbs } from "../../shared/definitions.ts";
import { keep, keepMetadata } from "../../shared/drafts.ts";
import { policyColumns } from "./columns.ts";
import { defaultMatchResources } from "./match-resources.ts";
import { validatePolicy, validatePolicyStatus } from "./policy-validation.ts";
import { ValidatingAdmissionPolicy } from "./types.ts";

/** Sets the defaults of a policy: requests are rejected if it cannot be evaluated (`Fail`), and its rules match all objects. */
export function defaultPolicy({ spec }: Pick<Draft<ValidatingAdmissionPolicy>, "spec">): void {
  spec.failurePolicy ??= "Fail";
  if (spec.matchConstraints !== undefined) defaultMatchResources(spec.matchConstraints);
}

/** `admissionregistration.o8s.io/v1beta1` policies: rules for requests, as CEL expressions (KEP-3488). */
export const validatingAdmissionPolicies = defineResource<ValidatingAdmissionPolicy>({
  group: "admissionregistration.o8s.io",
  version: "v1beta1",
  kind: "ValidatingAdmissionPolicy",
  plural: "validatingadmissionpolicies",
  singular: "validatingadmissionpolicy",
  categories: ["api-extensions"],
  scope: "Cluster",
  verbs: allVerbs,
  schema: ValidatingAdmissionPolicy,
  storagePrefix: "/registry/validatingadmissionpolicies",
  applyDefaults: defaultPolicy,
  strategy: {
    prepareForCreate: (policy) => {
      policy.status = {};
    },
    validate: (policy, ctx) => validatePolicy(policy, ctx),
    prepareForUpdate: (policy, old) => keep(policy, old, "status"),
    validateUpdate: (policy, old, ctx) => validatePolicy(policy, ctx, old),
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
        validateUpdate: validatePolicyStatus,
      },
    },
  },
});
