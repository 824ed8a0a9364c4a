import { expect, test } from "vitest";
import { matchesRules, type RuleSubject, type RuleWithOperations } from "./rules.ts";

const pods: RuleSubject = {
  operation: "CREATE",
  resource: { group: "", version: "v1", resource: "pods" },
  subresource: "",
  namespace: "ns",
  name: "p",
};
const everything: RuleWithOperations = { operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*/*"] };
const nodes: RuleSubject = { ...pods, resource: { ...pods.resource, resource: "nodes" }, namespace: "" };
const namespaces: RuleSubject = { ...pods, resource: { ...pods.resource, resource: "namespaces" }, namespace: "p" };

const rows: readonly (readonly [string, Partial<RuleWithOperations>, Partial<RuleSubject>, boolean])[] = [
  ["everything", {}, {}, true],
  ["everything, and a subresource", {}, { subresource: "log" }, true],
  ["another operation", { operations: ["UPDATE", "DELETE"] }, {}, false],
  ["one of the operations", { operations: ["UPDATE", "CREATE"] }, {}, true],
  [
    "CONNECT",
    { operations: ["CONNECT"], resources: ["pods/exec"] },
    { operation: "CONNECT", subresource: "exec" },
    true,
  ],
  ["another group", { apiGroups: ["apps"] }, {}, false],
  ["the core group", { apiGroups: [""] }, {}, true],
  ["another version", { apiVersions: ["v2"] }, {}, false],
  ["no list of resources", { resources: undefined }, {}, false],
  ["the resource", { resources: ["nodes", "pods"] }, {}, true],
  ["the resource, not its subresource", { resources: ["pods"] }, { subresource: "status" }, false],
  ["the subresource", { resources: ["pods/status"] }, { subresource: "status" }, true],
  ["the subresource, not the resource", { resources: ["pods/status"] }, {}, false],
  ["the resource with all subresources", { resources: ["pods/*"] }, { subresource: "eviction" }, true],
  ["the resource with all subresources, itself", { resources: ["pods/*"] }, {}, true],
  ["all resources, not subresources", { resources: ["*"] }, { subresource: "status" }, false],
  ["all resources", { resources: ["*"] }, {}, true],
  ["a subresource of all resources", { resources: ["*/scale"] }, { subresource: "scale" }, true],
  ["names", { resourceNames: ["a", "p"] }, {}, true],
  ["other names", { resourceNames: ["a"] }, {}, false],
  ["any name", { resourceNames: [] }, {}, true],
];
test.each(rows)("a rule for %s", (_, rule, subject, want) => {
  expect(matchesRules([{ ...everything, ...rule }], { ...pods, ...subject })).toBe(want);
});

test.each([
  ["Namespaced", [true, false, false]],
  ["Cluster", [false, true, true]],
  ["*", [true, true, true]],
  [undefined, [true, true, true]],
  ["Galaxy", [false, false, false]],
])("scope %s: namespaces themselves are cluster-scoped", (scope, want) => {
  expect([pods, nodes, namespaces].map((subject) => matchesRules([{ ...everything, scope }], subject))).toEqual(want);
});

test("one rule that matches is enough, no rules match nothing", () => {
  expect(matchesRules([{ ...everything, apiGroups: ["apps"] }, everything], pods)).toBe(true);
  expect(matchesRules([], pods)).toBe(false);
});
