import { defineResource } from "@orchernetes/apimachinery";
import { createdAt, name } from "../../shared/columns.ts";
import { allVerbs } from "../../shared/definitions.ts";
import { ClusterRole, Role } from "./types.ts";
import { rbacGroup, validateClusterRole, validatePolicyRules } from "./validation.ts";

/** `rbac.authorization.o8s.io/v1` roles: permissions in one namespace. */
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

/**
 * `rbac.authorization.o8s.io/v1` cluster roles: permissions in the whole cluster, or in a namespace if a RoleBinding
 * grants them.
 */
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
