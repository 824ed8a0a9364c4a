import { expect, test } from "vitest";
import { controllerRoles } from "../../../apps/orch-apiserver/src/bootstrap/rbac/controller-roles.ts";
import { gatedControllerRoles } from "../../../apps/orch-apiserver/src/bootstrap/rbac/gated-controller-roles.ts";
import { namespaceRoles } from "../../../apps/orch-apiserver/src/bootstrap/rbac/namespace-roles.ts";
import { controllers } from "../../../apps/orch-controller-manager/src/controllers/index.ts";

const roles = new Set([...controllerRoles, ...gatedControllerRoles.map(({ role }) => role)].map(({ name }) => name));
/** Roles of controllers that work in a few namespaces only. */
const inNamespaces = Object.values(namespaceRoles).flatMap((all) => all.map(({ name }) => name));

// The roles are the API server's to create, whether or not a controller manager ever runs, and apps do not import each other.
test.each(
  controllers
    .filter(({ usesManagerIdentity }) => !usesManagerIdentity)
    .map(({ name, serviceAccount }) => [name, serviceAccount]),
)("%s may work as %s: the API server has a role for it", (_, serviceAccount) => {
  expect([...roles, ...inNamespaces]).toContain(`system:controller:${serviceAccount}`);
});

test("every role belongs to a controller", () => {
  const owned = new Set(controllers.map(({ serviceAccount }) => `system:controller:${serviceAccount}`));
  expect([...roles].filter((name) => !owned.has(name))).toEqual([]);
});
