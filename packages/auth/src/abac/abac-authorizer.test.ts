import { expect, test } from "vitest";
import { type Attributes, pathAttributes } from "../authorizers/authorizer.ts";
import { abacAuthorizer, abacRules } from "./abac-authorizer.ts";
import type { AbacPolicy } from "./policy-file.ts";

const user = { name: "alice", groups: ["dev"], extra: {} };
const none: AbacPolicy = {
  user: "",
  group: "",
  readonly: false,
  apiGroup: "",
  resource: "",
  namespace: "",
  nonResourcePath: "",
};
const path = (verb: string, path: string): Attributes => pathAttributes(user, verb, path);
const pods = (verb: string, more: Partial<Attributes> = {}): Attributes => ({
  ...path(verb, ""),
  namespace: "n",
  resource: "pods",
  resourceRequest: true,
  ...more,
});
const inN = { user: "alice", resource: "pods", namespace: "n" };

const rows: readonly (readonly [string, Partial<AbacPolicy>, Attributes, boolean])[] = [
  ["the user", inN, pods("create"), true],
  ["another user", { ...inN, user: "bob" }, pods("create"), false],
  ["nobody", { ...inN, user: "" }, pods("create"), false],
  ["a group of the user", { ...inN, user: "", group: "dev" }, pods("create"), true],
  ["another group", { ...inN, user: "", group: "ops" }, pods("create"), false],
  ["the user in another group", { ...inN, group: "ops" }, pods("create"), false],
  ["another user in the group", { ...inN, user: "bob", group: "dev" }, pods("create"), false],
  ["a read", { ...inN, readonly: true }, pods("watch"), true],
  ["a write of a reader", { ...inN, readonly: true }, pods("delete"), false],
  ["a subresource", inN, pods("create", { subresource: "exec" }), true],
  ["another resource", inN, pods("get", { resource: "secrets" }), false],
  ["every resource", { ...inN, resource: "*" }, pods("get", { resource: "secrets" }), true],
  ["another namespace", inN, pods("get", { namespace: "m" }), false],
  ["every namespace", { ...inN, namespace: "*" }, pods("get", { namespace: "" }), true],
  ["no namespace", { ...inN, namespace: "" }, pods("get", { namespace: "" }), true],
  ["another API group", inN, pods("get", { apiGroup: "apps" }), false],
  ["every API group", { ...inN, apiGroup: "*" }, pods("get", { apiGroup: "apps" }), true],
  ["a path", { user: "alice", nonResourcePath: "/version" }, path("get", "/version"), true],
  ["a path below it", { user: "alice", nonResourcePath: "/version" }, path("get", "/version/x"), false],
  ["a path of a prefix", { user: "alice", nonResourcePath: "/a/*" }, path("post", "/a/b"), true],
  ["a post of a reader", { user: "alice", readonly: true, nonResourcePath: "*" }, path("post", "/a"), false],
  ["every path", { user: "alice", nonResourcePath: "*" }, path("get", "/"), true],
  ["a path for a policy of resources", { ...inN, namespace: "*", resource: "*" }, path("get", "/"), false],
  ["a resource for a policy of paths", { user: "alice", nonResourcePath: "*" }, pods("get"), false],
];

test.each(rows)("%s", (_name, policy, attributes, want) => {
  expect(abacAuthorizer([{ ...none, ...policy }]).authorize(attributes)).toEqual(
    want ? { type: "Allow" } : { type: "NoOpinion", reason: "No policy matched." },
  );
});

test("the rules of a user are those of the policies for them and the namespace", () => {
  const policies: readonly AbacPolicy[] = [
    { ...none, ...inN },
    { ...none, ...inN, user: "bob" },
    { ...none, ...inN, namespace: "m" },
    { ...none, group: "dev", readonly: true, apiGroup: "apps", resource: "*", namespace: "*", nonResourcePath: "/x*" },
  ];
  expect(abacRules(policies, user, "n")).toEqual([
    { verbs: ["*"], apiGroups: [""], resources: ["pods"] },
    { verbs: ["get", "list", "watch"], apiGroups: ["apps"], resources: ["*"] },
    { verbs: ["get", "list", "watch"], nonResourceURLs: ["/x*"] },
  ]);
});
