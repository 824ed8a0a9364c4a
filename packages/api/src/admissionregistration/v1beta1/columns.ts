import type { ApiObject, Column } from "@orchernetes/apimachinery";
import { age, column, name } from "../../shared/columns.ts";
import type { ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding } from "./types.ts";

type Spec<T extends { readonly spec: unknown }> = ApiObject & {
  readonly spec: Pick<T["spec"], keyof T["spec"] & ("validations" | "paramKind" | "policyName" | "paramRef")>;
};

/** Columns of policies in every version. */
export function policyColumns<T extends Spec<ValidatingAdmissionPolicy>>(): readonly Column<T>[] {
  return [
    name(),
    column("Validations", "integer", "Number of validations.", ({ spec }) => spec.validations?.length ?? 0),
    column("ParamKind", "string", "Kind of the parameters.", ({ spec: { paramKind } }) =>
      paramKind === undefined ? "<unset>" : `${paramKind.apiVersion ?? ""}/${paramKind.kind ?? ""}`,
    ),
    age(),
  ];
}

/** Columns of bindings in every version. */
export function policyBindingColumns<T extends Spec<ValidatingAdmissionPolicyBinding>>(): readonly Column<T>[] {
  return [
    name(),
    column("PolicyName", "string", "Policy that is used.", ({ spec }) => spec.policyName ?? ""),
    column("ParamRef", "string", "Parameters that are used.", ({ spec: { paramRef } }) => {
      if (paramRef === undefined) return "<unset>";
      const { namespace = "", name: parameter = "*" } = paramRef;
      return namespace === "" ? parameter : `${namespace}/${parameter}`;
    }),
    age(),
  ];
}
