import type { ApiObject, Column } from "@orchernetes/apimachinery";
import { age, column, name } from "../../shared/index.ts";
import type { RoleRef, Subject } from "./types/common.ts";

interface Binding extends ApiObject {
  readonly roleRef: RoleRef;
  readonly subjects?: readonly Subject[] | undefined;
}

function subjectsOf(binding: Binding, kind: string, text: (subject: Subject) => string): string {
  return (binding.subjects ?? [])
    .filter((subject) => subject.kind === kind)
    .map(text)
    .join(", ");
}

/** Columns of role bindings of both scopes. */
export function bindingColumns<T extends Binding>(): Column<T>[] {
  return [
    name(),
    column("Role", "string", "The role that is granted.", ({ roleRef }) => `${roleRef.kind}/${roleRef.name}`),
    age(),
    column(
      "Users",
      "string",
      "Users the role is granted to.",
      (binding) => subjectsOf(binding, "User", (s) => s.name),
      1,
    ),
    column(
      "Groups",
      "string",
      "Groups the role is granted to.",
      (binding) => subjectsOf(binding, "Group", (s) => s.name),
      1,
    ),
    column(
      "ServiceAccounts",
      "string",
      "Service accounts the role is granted to.",
      (binding) => subjectsOf(binding, "ServiceAccount", (s) => `${s.namespace ?? ""}/${s.name}`),
      1,
    ),
  ];
}
