import { type Draft, defineResource } from "@orchernetes/apimachinery";
import { allVerbs } from "../../shared/definitions.ts";
import { validatePolicyBinding } from "./binding-validation.ts";
import { policyBindingColumns } from "./columns.ts";
import { defaultMatchResources } from "./match-resources.ts";
import { ValidatingAdmissionPolicyBinding } from "./types.ts";

/** Sets the defaults of a binding: missing parameters deny requests. */
function defaultBinding({ spec }: Draft<ValidatingAdmissionPolicyBinding>): void {
  if (spec.paramRef !== undefined) spec.paramRef.parameterNotFoundAction ??= "Deny";
  if (spec.matchResources !== undefined) defaultMatchResources(spec.matchResources);
}

/**
 * `admissionregistration.o8s.io/v1beta1` bindings: apply a policy to objects, with parameters and actions (KEP-3488).
 */
export const validatingAdmissionPolicyBindings = defineResource<ValidatingAdmissionPolicyBinding>({
  group: "admissionregistration.o8s.io",
  version: "v1beta1",
  kind: "ValidatingAdmissionPolicyBinding",
  plural: "validatingadmissionpolicybindings",
  singular: "validatingadmissionpolicybinding",
  categories: ["api-extensions"],
  scope: "Cluster",
  verbs: allVerbs,
  schema: ValidatingAdmissionPolicyBinding,
  storagePrefix: "/registry/validatingadmissionpolicybindings",
  applyDefaults: defaultBinding,
  strategy: {
    validate: validatePolicyBinding,
    validateUpdate: validatePolicyBinding,
    generation: ({ spec }) => spec,
    allowUnconditionalUpdate: false,
  },
  columns: policyBindingColumns(),
});
