import { defineResource } from "@orchernetes/apimachinery";
import { createdAt, name } from "../../shared/columns.ts";
import { allVerbs } from "../../shared/definitions.ts";
import { ClusterRole, Role } from "./types.ts";
import { rbacGroup, validateClusterRole, validatePolicyRules } from "./validation.ts";

/** Rights within one namespace. */
export const roles = defineResource<Role>({
  group: rbacGroup,
  version: "v1",
  kind: "Role",
  plural: "roles",
  singular: "role",
  scope: "Namespaced",
  verbs: allVerbs,
  schema: Role,
  storagePrefix: "/registry/roles",
  strategy: {
    nameFormat: "path",
    validate: ({ rules }) => validatePolicyRules(rules, true),
    validateUpdate: ({ rules }) => validatePolicyRules(rules, true),
    allowCreateOnUpdate: true,
  },
  columns: [name(), createdAt()],
});

/** Rights in the whole cluster, or in any one namespace when a RoleBinding grants them. */
export const clusterRoles = defineResource<ClusterRole>({
  group: rbacGroup,
  version: "v1",
  kind: "ClusterRole",
  plural: "clusterroles",
  singular: "clusterrole",
  scope: "Cluster",
  verbs: allVerbs,
  schema: ClusterRole,
  storagePrefix: "/registry/clusterroles",
  strategy: {
    nameFormat: "path",
    validate: validateClusterRole,
    validateUpdate: validateClusterRole,
    allowCreateOnUpdate: true,
  },
  columns: [name(), createdAt()],
});
