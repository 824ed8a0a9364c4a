import { expect, test } from "vitest";
import { aggregatedRules } from "./reconcile.ts";
import { userRoles } from "./user-roles.ts";

/** Verbs that a role of users has for a resource. */
function verbs(name: string, group: string, resource: string): readonly string[] {
  const rules = aggregatedRules(userRoles.find((role) => role.name === name)?.aggregate ?? [], userRoles);
  const found = rules.filter((rule) => rule.apiGroups?.includes(group) && rule.resources?.includes(resource));
  return [...new Set(found.flatMap((rule) => rule.verbs))].sort();
}

test.each(["admin", "edit", "view"])("%s may read where services lead, and not write it", (role) => {
  expect(verbs(role, "", "endpoints")).toEqual(["get", "list", "watch"]);
  expect(verbs(role, "discovery.o8s.io", "endpointslices")).toEqual(["get", "list", "watch"]);
});

test.each(["admin", "edit"])("%s may write services", (role) => {
  expect(verbs(role, "", "services")).toContain("update");
});
