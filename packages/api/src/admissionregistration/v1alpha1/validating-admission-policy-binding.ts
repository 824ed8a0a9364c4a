import { defineResource } from "@orchernetes/apimachinery";
import { allVerbs, erase } from "../../shared/definitions.ts";
import { validatePolicyBinding } from "../v1beta1/binding-validation.ts";
import { policyBindingColumns } from "../v1beta1/columns.ts";
import { defaultMatchResources } from "../v1beta1/match-resources.ts";
import { validatingAdmissionPolicyBindings as stored } from "../v1beta1/validating-admission-policy-binding.ts";
import { bindingFromStored, bindingToStored } from "./conversion.ts";
import { ValidatingAdmissionPolicyBinding } from "./types.ts";

/** `admissionregistration.o8s.io/v1alpha1` bindings, the first view of those of v1beta1. */
export const validatingAdmissionPolicyBindings = defineResource<ValidatingAdmissionPolicyBinding>({
  group: "admissionregistration.o8s.io",
  version: "v1alpha1",
  kind: "ValidatingAdmissionPolicyBinding",
  plural: "validatingadmissionpolicybindings",
  singular: "validatingadmissionpolicybinding",
  categories: ["api-extensions"],
  scope: "Cluster",
  verbs: allVerbs,
  schema: ValidatingAdmissionPolicyBinding,
  storagePrefix: "/registry/validatingadmissionpolicybindings",
  storedAs: { definition: erase(stored), toStored: bindingToStored, fromStored: bindingFromStored },
  applyDefaults: ({ spec }) => {
    if (spec.matchResources !== undefined) defaultMatchResources(spec.matchResources);
  },
  strategy: {
    validate: (binding) => validatePolicyBinding(bindingToStored(binding)),
    validateUpdate: (binding) => validatePolicyBinding(bindingToStored(binding)),
    generation: ({ spec }) => spec,
    allowUnconditionalUpdate: false,
  },
  columns: policyBindingColumns(),
});
