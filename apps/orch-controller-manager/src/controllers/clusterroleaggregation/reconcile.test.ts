import type { rbac } from "@orchernetes/api";
import { expect, test } from "vitest";
import { meta } from "../../testing/builders.ts";
import { aggregatedRules, type ClusterRole } from "./reconcile.ts";

const rule = (resource: string): rbac.PolicyRule => ({ verbs: ["get"], apiGroups: [""], resources: [resource] });
const role = (name: string, resources: readonly string[], label?: string): ClusterRole => ({
  metadata: { ...meta(name, ""), labels: label === undefined ? {} : { to: label } },
  rules: resources.map(rule),
});
const view = (resources: readonly string[]): ClusterRole => ({
  ...role("view", resources),
  aggregationRule: { clusterRoleSelectors: [{ matchLabels: { to: "view" } }, { matchLabels: { to: "more" } }] },
});

test.each([
  [
    "joined in order of names, each once",
    [role("b", ["pods", "nodes"], "view"), role("a", ["pods"], "view")],
    ["pods", "nodes"],
  ],
  ["of each selector in turn", [role("a", ["nodes"], "more"), role("b", ["pods"], "view")], ["pods", "nodes"]],
  ["none", [role("a", ["pods"])], []],
])("%s", (_, others, want) => {
  const of = view(["old"]);
  expect(aggregatedRules(of, [of, ...others])?.map(({ resources }) => resources?.[0])).toEqual(want);
});

test("correct rules are not written again", () => {
  expect(aggregatedRules(view(["pods"]), [role("a", ["pods"], "view")])).toBeUndefined();
});
