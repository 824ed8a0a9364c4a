import { expect, test } from "vitest";
import { controllerRoles } from "../../../apps/orch-apiserver/src/bootstrap/rbac/controller-roles.ts";
import { controllers } from "../../../apps/orch-controller-manager/src/controllers/index.ts";

const roles = new Set(controllerRoles.map(({ name }) => name));

// The roles are the API server's to create, whether or not a controller manager ever runs, and apps do not import each other.
test.each(controllers.map(({ name, serviceAccount }) => [name, serviceAccount]))(
  "%s may work as %s: the API server has a role for it",
  (_, serviceAccount) => {
    expect(roles).toContain(`system:controller:${serviceAccount}`);
  },
);
