import { describe, expect, test } from "vitest";
import { PolicyIndex } from "./policy-index.ts";
import { type RuleRequest, ruleAllows } from "./rule-match.ts";

const request = (over: Partial<RuleRequest>): RuleRequest => ({
  verb: "get",
  apiGroup: "",
  resource: "pods",
  subresource: "",
  name: "",
  resourceRequest: true,
  path: "",
  ...over,
});

describe("ruleAllows", () => {
  const pods = { verbs: ["get", "list"], apiGroups: [""], resources: ["pods"] };
  test.each([
    ["same resource", pods, {}, true],
    ["other verb", pods, { verb: "delete" }, false],
    ["other group", pods, { apiGroup: "apps" }, false],
    ["a subresource needs its own entry", pods, { subresource: "log" }, false],
    ["named subresource", { ...pods, resources: ["pods/log"] }, { subresource: "log" }, true],
    [
      "subresource of anything",
      { ...pods, resources: ["*/scale"] },
      { resource: "deployments", subresource: "scale" },
      true,
    ],
    [
      "everything",
      { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
      { resource: "x", subresource: "y", verb: "z" },
      true,
    ],
    ["other name", { ...pods, resourceNames: ["a"] }, { name: "b" }, false],
    ["listed name", { ...pods, resourceNames: ["a"] }, { name: "a" }, true],
    ["lists have no name", { ...pods, resourceNames: ["a"] }, { verb: "list" }, false],
    ["path", { verbs: ["get"], nonResourceURLs: ["/healthz"] }, { resourceRequest: false, path: "/healthz" }, true],
    ["path below", { verbs: ["get"], nonResourceURLs: ["/apis/*"] }, { resourceRequest: false, path: "/apis/x" }, true],
    ["path beside", { verbs: ["get"], nonResourceURLs: ["/apis/*"] }, { resourceRequest: false, path: "/api" }, false],
    [
      "path below, however many asterisks end the rule",
      { verbs: ["get"], nonResourceURLs: ["/apis/**"] },
      { resourceRequest: false, path: "/apis/x" },
      true,
    ],
    ["any path", { verbs: ["get"], nonResourceURLs: ["*"] }, { resourceRequest: false, path: "/x" }, true],
    ["resource rules say nothing of paths", pods, { resourceRequest: false, path: "/pods" }, false],
  ])("%s", (_, rule, over, want) => {
    expect(ruleAllows(rule, request(over))).toBe(want);
  });
});

describe("PolicyIndex", () => {
  const roleRef = { apiGroup: "rbac.authorization.o8s.io", kind: "ClusterRole", name: "r" };
  const names = (index: PolicyIndex, user: string, groups: string[], namespace: string) =>
    [...index.grantsFor({ name: user, groups }, namespace)].map((g) => g.binding);

  test("finds grants by user, group and service account, within their namespace", () => {
    const index = new PolicyIndex();
    index.setBinding("", "c", { roleRef, subjects: [{ kind: "Group", name: "g" }], metadata: {} });
    index.setBinding("a", "b", { roleRef, subjects: [{ kind: "ServiceAccount", name: "sa" }], metadata: {} });
    expect(names(index, "u", ["g"], "x")).toEqual(['ClusterRoleBinding "c"']);
    expect(names(index, "system:serviceaccount:a:sa", [], "a")).toEqual(['RoleBinding "b/a"']);
    expect(names(index, "system:serviceaccount:a:sa", [], "b")).toEqual([]);
  });

  test("a changed binding forgets its former subjects", () => {
    const index = new PolicyIndex();
    index.setBinding("", "c", { roleRef, subjects: [{ kind: "User", name: "old" }], metadata: {} });
    index.setBinding("", "c", { roleRef, subjects: [{ kind: "User", name: "new" }], metadata: {} });
    expect(names(index, "old", [], "")).toEqual([]);
    expect(names(index, "new", [], "")).toEqual(['ClusterRoleBinding "c"']);
    index.setBinding("", "c", undefined);
    expect(names(index, "new", [], "")).toEqual([]);
  });
});
