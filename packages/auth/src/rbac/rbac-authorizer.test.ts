import { expect, test } from "vitest";
import { type Attributes, pathAttributes } from "../authorizers/authorizer.ts";
import { PolicyIndex } from "./policy-index.ts";
import { rbacAuthorizer } from "./rbac-authorizer.ts";

const index = new PolicyIndex();
const role = (kind: string, name: string) => ({ apiGroup: "rbac.authorization.o8s.io", kind, name });
const bind = (namespace: string, name: string, roleRef: ReturnType<typeof role>, kind: string, subject: string) =>
  index.setBinding(namespace, name, { roleRef, subjects: [{ kind, name: subject }], metadata: {} });
const pods = { verbs: ["get"], apiGroups: [""], resources: ["pods"] };
index.setRole("", "reader", { rules: [pods, { verbs: ["get"], nonResourceURLs: ["/metrics"] }], metadata: {} });
index.setRole("a", "reader", { rules: [{ ...pods, verbs: ["delete"] }], metadata: {} });
bind("", "all", role("ClusterRole", "reader"), "Group", "ops");
bind("a", "some", role("ClusterRole", "reader"), "User", "bob");
bind("a", "own", role("Role", "reader"), "ServiceAccount", "robot");
bind("", "broken", role("ClusterRole", "gone"), "User", "eve");

const get = (name: string, groups: readonly string[], over: Partial<Attributes>): Attributes => ({
  ...pathAttributes({ name, groups, extra: {} }, "get", ""),
  resource: "pods",
  resourceRequest: true,
  ...over,
});

const byGroup = 'RBAC: allowed by ClusterRoleBinding "all" of ClusterRole "reader" to Group "ops"';
const byName = 'RBAC: allowed by RoleBinding "some/a" of ClusterRole "reader" to User "bob"';
const byAccount = 'RBAC: allowed by RoleBinding "own/a" of Role "reader" to ServiceAccount "robot/a"';
const robot = "system:serviceaccount:a:robot";
const path = { resource: "", resourceRequest: false, path: "/metrics" };

test.each<[string, Attributes, object]>([
  ["a group, in any namespace", get("alice", ["ops"], { namespace: "x" }), { type: "Allow", reason: byGroup }],
  ["a group, in all namespaces", get("alice", ["ops"], {}), { type: "Allow", reason: byGroup }],
  ["a group, on a path", get("alice", ["ops"], path), { type: "Allow", reason: byGroup }],
  ["a group, another verb", get("alice", ["ops"], { verb: "list" }), { type: "NoOpinion" }],
  ["a user, in the namespace of the binding", get("bob", [], { namespace: "a" }), { type: "Allow", reason: byName }],
  ["a user, in another namespace", get("bob", [], { namespace: "b" }), { type: "NoOpinion" }],
  ["a user, in all namespaces", get("bob", [], {}), { type: "NoOpinion" }],
  ["a user, on a path", get("bob", [], { ...path, namespace: "a" }), { type: "NoOpinion" }],
  ["a user whose name is that of a group", get("ops", [], {}), { type: "NoOpinion" }],
  ["a service account", get(robot, [], { namespace: "a", verb: "delete" }), { type: "Allow", reason: byAccount }],
  [
    "a service account of another namespace",
    get("system:serviceaccount:b:robot", [], { namespace: "a", verb: "delete" }),
    { type: "NoOpinion" },
  ],
  [
    "a role that does not exist",
    get("eve", [], {}),
    { type: "NoOpinion", reason: 'RBAC: clusterrole.rbac.authorization.o8s.io "gone" not found' },
  ],
])("%s", async (_name, attributes, want) => {
  expect(await rbacAuthorizer(index).authorize(attributes)).toEqual(want);
});
