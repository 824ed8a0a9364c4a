import { expect, test } from "vitest";
import { controllerRoles } from "../../../apps/orch-apiserver/src/bootstrap/rbac/controller-roles.ts";
import { gatedControllerRoles } from "../../../apps/orch-apiserver/src/bootstrap/rbac/gated-controller-roles.ts";
import { namespaceRoles } from "../../../apps/orch-apiserver/src/bootstrap/rbac/namespace-roles.ts";
import { absentControllers } from "../../../apps/orch-controller-manager/src/controllers/absent.ts";
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

/** The controllers that are not here and whose role the API server creates as the original does, by their service account. */
const rolesOfAbsent: Readonly<Record<string, readonly string[]>> = {
  "attachdetach-controller": ["attachdetach"],
};

test("every role belongs to a controller, or to one that is known not to be here", () => {
  const owned = new Set(controllers.map(({ serviceAccount }) => `system:controller:${serviceAccount}`));
  const others = [...roles].filter((name) => !owned.has(name)).map((name) => name.slice("system:controller:".length));
  expect(others.sort()).toEqual(Object.keys(rolesOfAbsent));
  const absent = absentControllers.map(({ name }) => name);
  expect(absent).toEqual(expect.arrayContaining(Object.values(rolesOfAbsent).flat()));
});
