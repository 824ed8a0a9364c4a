import { defineResource, type FieldError } from "@orchernetes/apimachinery";
import { allVerbs } from "../../meta/verbs.ts";
import { bindingColumns } from "./binding-columns.ts";
import { defaultBinding } from "./binding-defaults.ts";
import { RoleBinding } from "./types/role-binding.ts";
import { rbacGroup, validateRoleRef, validateRoleRefUnchanged, validateSubjects } from "./validation.ts";

function validateRoleBinding(binding: RoleBinding): FieldError[] {
  return [...validateRoleRef(binding.roleRef, ["Role", "ClusterRole"]), ...validateSubjects(binding.subjects, true)];
}

/** Grants a role to users within one namespace. */
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
