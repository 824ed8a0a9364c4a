import type { ResourceDefinition } from "@orchernetes/apimachinery";
import { erase } from "../../meta/erase.ts";
import { clusterRoles } from "./cluster-role.ts";
import { clusterRoleBindings } from "./cluster-role-binding.ts";
import { roles } from "./role.ts";
import { roleBindings } from "./role-binding.ts";

/** Resources of `rbac.authorization.o8s.io/v1`. */
export const rbacV1: readonly ResourceDefinition[] = [
  erase(clusterRoleBindings),
  erase(clusterRoles),
  erase(roleBindings),
  erase(roles),
];
