import { defineResource } from "@orchernetes/apimachinery";
import { allVerbs } from "../../meta/verbs.ts";
import { createdAt, name } from "../../shared/index.ts";
import { ClusterRole } from "./types/cluster-role.ts";
import { rbacGroup, validateClusterRole } from "./validation.ts";

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
