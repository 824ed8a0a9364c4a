import { defineResource, type FieldError } from "@orchernetes/apimachinery";
import { allVerbs } from "../../meta/verbs.ts";
import { bindingColumns } from "./binding-columns.ts";
import { defaultBinding } from "./binding-defaults.ts";
import { ClusterRoleBinding } from "./types/cluster-role-binding.ts";
import { rbacGroup, validateRoleRef, validateRoleRefUnchanged, validateSubjects } from "./validation.ts";

function validateClusterRoleBinding(binding: ClusterRoleBinding): FieldError[] {
  return [...validateRoleRef(binding.roleRef, ["ClusterRole"]), ...validateSubjects(binding.subjects, false)];
}

/** Grants a cluster role to users everywhere. */
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
