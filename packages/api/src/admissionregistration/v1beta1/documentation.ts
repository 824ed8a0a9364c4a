import type { TypeDocumentation } from "@orchernetes/apimachinery";
import { documentation as v1alpha1 } from "../v1alpha1/documentation.ts";

/** Texts of the types of admissionregistration.o8s.io/v1beta1: those of v1alpha1 and what came since. */
export const documentation: TypeDocumentation = {
  ...v1alpha1,
  ValidatingAdmissionPolicySpec: {
    ...v1alpha1.ValidatingAdmissionPolicySpec,
    variables: "Named expressions that other ones can use as variables.NAME. Each may use those before it.",
  },
  Variable: {
    "": "A named expression.",
    name: "Name of the variable, an identifier of CEL. Unique within the policy.",
    expression: "CEL expression for its value. It is computed when first used, once for each request.",
  },
  ParamRef: {
    "": "The objects with the parameters of a policy: exactly one of name and selector is set. With several objects the policy is checked once for each.",
    name: "Name of the object.",
    namespace: "Namespace of the objects. Default: that of the object that is checked, where the kind has namespaces.",
    selector: "Labels of the objects. An empty selector means all of the kind.",
    parameterNotFoundAction:
      "What happens when there is no such object: Allow lets the request pass this binding, Deny does as failurePolicy of the policy says. Required.",
  },
};
