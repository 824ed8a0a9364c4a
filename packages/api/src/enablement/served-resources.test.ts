import { expect, test } from "vitest";
import { allResources } from "../resources.ts";
import { parseRuntimeConfig } from "./runtime-config.ts";
import { type ServedResources, servedResources } from "./served-resources.ts";

function resolve(texts: readonly string[], gates: readonly string[] = []): Promise<ServedResources> {
  const result = parseRuntimeConfig(texts);
  if ("errors" in result) throw new Error(result.errors.join("; "));
  return servedResources(result.enablement, (gate) => gates.includes(gate));
}

const names = (definitions: ServedResources["served"]): string[] =>
  definitions.map(({ group, version, plural }) => `${group}/${version}/${plural}`);

test("by default all of the stable versions are served, in the order of discovery", async () => {
  const { served, unserved, warnings } = await resolve([]);
  expect(new Set(names(served))).toEqual(new Set(names(allResources)));
  expect([...new Set(served.map(({ group }) => group))].slice(0, 4)).toEqual([
    "",
    "apiregistration.o8s.io",
    "apps",
    "events.o8s.io",
  ]);
  expect({ unserved, warnings }).toEqual({ unserved: [], warnings: [] });
});

test("a disabled resource remains available to the server itself", async () => {
  const { served, unserved } = await resolve(["apps/v1/deployments=false", "batch/v1=false"]);
  expect(names(unserved).sort()).toEqual(["apps/v1/deployments", "batch/v1/cronjobs", "batch/v1/jobs"]);
  expect(names(served)).not.toContain("apps/v1/deployments");
});

test("enabling a resource without effect logs a warning", async () => {
  const { warnings } = await resolve(["resource.o8s.io/v1alpha2=true"], ["DynamicResourceAllocation"]);
  expect(warnings).toEqual([
    expect.stringMatching(/^resourceclaims.resource.o8s.io is switched on: claims are stored, but/),
  ]);
});

test.each([
  [["authentication.o8s.io/v1beta1=true"], ["APISelfSubjectReview"], true, 0],
  [["authentication.o8s.io/v1beta1=true"], [], false, 1],
  [["authentication.o8s.io/v1beta1/selfsubjectreviews"], ["APISelfSubjectReview"], true, 0],
  [["authentication.o8s.io/v1beta1/nothing=true"], ["APISelfSubjectReview"], false, 1],
  [["authentication.o8s.io/v1beta1/nothing=false"], ["APISelfSubjectReview"], false, 0],
])("%j with gates %j", async (texts, gates, want, warned) => {
  const { served, warnings } = await resolve(texts, gates);
  expect(names(served).includes("authentication.o8s.io/v1beta1/selfsubjectreviews")).toBe(want);
  expect(warnings).toHaveLength(warned);
});
