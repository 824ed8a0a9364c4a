import { type ApiObject, type Column, type Draft, defineResource, type FieldError } from "@orchernetes/apimachinery";
import { age, column, name } from "../../shared/columns.ts";
import { allVerbs } from "../../shared/definitions.ts";
import { ClusterRoleBinding, RoleBinding, type RoleRef, type Subject } from "./types.ts";
import { rbacGroup, validateRoleRef, validateRoleRefUnchanged, validateSubjects } from "./validation.ts";

/** Sets the default API groups of a binding's role and subjects. */
export function defaultBinding(binding: { roleRef: Draft<RoleRef>; subjects?: Draft<Subject>[] | undefined }): void {
  binding.roleRef.apiGroup ||= rbacGroup;
  for (const subject of binding.subjects ?? []) {
    if (subject.kind === "User" || subject.kind === "Group") {
      subject.apiGroup ||= rbacGroup;
    }
  }
}

interface Binding extends ApiObject {
  readonly roleRef: RoleRef;
  readonly subjects?: readonly Subject[] | undefined;
}

/** Lists the subjects of one kind for a column of a table, in the order of the binding. */
function subjectsOf(binding: Binding, kind: string, text: (subject: Subject) => string): string {
  return (binding.subjects ?? [])
    .filter((subject) => subject.kind === kind)
    .map(text)
    .join(", ");
}

/** Columns of role bindings of both scopes. */
function bindingColumns<T extends Binding>(): Column<T>[] {
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

/**
 * Validates a role binding. It may refer to a cluster role, which then grants its rights in the binding's namespace
 * only.
 */
function validateRoleBinding(binding: RoleBinding): FieldError[] {
  return [...validateRoleRef(binding.roleRef, ["Role", "ClusterRole"]), ...validateSubjects(binding.subjects, true)];
}

/** `rbac.authorization.o8s.io/v1` role bindings: grant a role in one namespace. */
export const roleBindings = defineResource<RoleBinding>({
  group: rbacGroup,
  version: "v1",
  kind: "RoleBinding",
  plural: "rolebindings",
  singular: "rolebinding",
  scope: "Namespaced",
  verbs: allVerbs,
  schema: RoleBinding,
  storagePrefix: "/registry/rolebindings",
  applyDefaults: defaultBinding,
  strategy: {
    nameFormat: "path",
    validate: validateRoleBinding,
    validateUpdate: (binding, old) => [
      ...validateRoleBinding(binding),
      ...validateRoleRefUnchanged(binding.roleRef, old.roleRef),
    ],
    allowCreateOnUpdate: true,
  },
  columns: bindingColumns(),
});

/** Validates a cluster role binding. It cannot refer to a role, which belongs to one namespace. */
function validateClusterRoleBinding(binding: ClusterRoleBinding): FieldError[] {
  return [...validateRoleRef(binding.roleRef, ["ClusterRole"]), ...validateSubjects(binding.subjects, false)];
}

/** `rbac.authorization.o8s.io/v1` cluster role bindings: grant a cluster role in the whole cluster. */
export const clusterRoleBindings = defineResource<ClusterRoleBinding>({
  group: rbacGroup,
  version: "v1",
  kind: "ClusterRoleBinding",
  plural: "clusterrolebindings",
  singular: "clusterrolebinding",
  scope: "Cluster",
  verbs: allVerbs,
  schema: ClusterRoleBinding,
  storagePrefix: "/registry/clusterrolebindings",
  applyDefaults: defaultBinding,
  strategy: {
    nameFormat: "path",
    validate: validateClusterRoleBinding,
    validateUpdate: (binding, old) => [
      ...validateClusterRoleBinding(binding),
      ...validateRoleRefUnchanged(binding.roleRef, old.roleRef),
    ],
    allowCreateOnUpdate: true,
  },
  columns: bindingColumns(),
});
