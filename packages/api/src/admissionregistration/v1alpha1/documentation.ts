import type { TypeDocumentation } from "@orchernetes/apimachinery";
import { documentation as v1beta1 } from "../v1beta1/documentation.ts";

const { Variable: _variable, ValidatingAdmissionPolicySpec: newerSpec = {}, ...shared } = v1beta1;
const { variables: _variables, ...policySpec } = newerSpec;

/** Texts of the types of admissionregistration.o8s.io/v1alpha1: those of v1beta1, without variables, and with one object of parameters at most. */
export const documentation: TypeDocumentation = {
  ...shared,
  ValidatingAdmissionPolicySpec: policySpec,
  ParamRef: {
    "": "The object with the parameters of a policy.",
    name: "Name of the object.",
    namespace: "Namespace of the object. Default: that of the object that is checked, where the kind has namespaces.",
  },
};
