import { resourceDefinitions } from "@orchernetes/apimachinery";
import { clusterRoleBindings, roleBindings } from "./role-bindings.ts";
import { clusterRoles, roles } from "./roles.ts";

export * from "./role-bindings.ts";
export * from "./roles.ts";
export * from "./types.ts";
export { rbacGroup } from "./validation.ts";

/** Resources of `rbac.authorization.o8s.io/v1`. */
export const rbacV1 = resourceDefinitions(clusterRoleBindings, clusterRoles, roleBindings, roles);
