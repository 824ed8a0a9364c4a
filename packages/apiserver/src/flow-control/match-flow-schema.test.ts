import { expect, test } from "vitest";
import { parseRequestInfo } from "../http/request-info.ts";
import type { FlowRule, FlowSchemaConfiguration, FlowSubject } from "./configuration.ts";
import { byPrecedence, matchesFlowSchema } from "./match-flow-schema.ts";

const schema = (
  rules: readonly FlowRule[] | undefined,
  name = "s",
  matchingPrecedence?: number,
): FlowSchemaConfiguration => ({
  name,
  uid: `${name}-uid`,
  spec: { priorityLevelConfiguration: { name: "work" }, matchingPrecedence, rules },
});
const anybody: FlowSubject = { kind: "Group", group: { name: "*" } };
const resources = {
  verbs: ["*"],
  apiGroups: ["*"],
  resources: ["*"],
  clusterScope: true,
  namespaces: ["*"],
};
const userOf = (name: string, ...groups: readonly string[]) => ({ name, groups: [...groups], extra: {} });

const takesUser = (subject: FlowSubject, name: string, ...groups: readonly string[]): boolean =>
  matchesFlowSchema(
    schema([{ subjects: [subject], resourceRules: [resources] }]),
    parseRequestInfo("GET", "/api/v1/namespaces/a/pods"),
    userOf(name, ...groups),
  );
const takes = (rule: Omit<FlowRule, "subjects">, method: string, url: string): boolean =>
  matchesFlowSchema(schema([{ subjects: [anybody], ...rule }]), parseRequestInfo(method, url), userOf("u"));

const account = (namespace: string, name: string): FlowSubject => ({
  kind: "ServiceAccount",
  serviceAccount: { namespace, name },
});

test.each<[string, FlowSubject, string, readonly string[], boolean]>([
  ["a user by name", { kind: "User", user: { name: "ann" } }, "ann", [], true],
  ["another user", { kind: "User", user: { name: "ann" } }, "anna", [], false],
  ["every user", { kind: "User", user: { name: "*" } }, "ann", [], true],
  ["a group is no user", { kind: "User", user: { name: "g" } }, "ann", ["g"], false],
  ["a member of a group", { kind: "Group", group: { name: "g" } }, "ann", ["f", "g"], true],
  ["a user with the name of a group", { kind: "Group", group: { name: "g" } }, "g", ["f"], false],
  ["any group, also of users without one", anybody, "ann", [], true],
  ["a service account", account("a", "x"), "system:serviceaccount:a:x", [], true],
  ["a service account of another namespace", account("a", "x"), "system:serviceaccount:b:x", [], false],
  ["every service account of a namespace", account("a", "*"), "system:serviceaccount:a:y", [], true],
  ["every one of a namespace, and none of a longer one", account("a", "*"), "system:serviceaccount:aa:y", [], false],
  ["a user who is named like a service account's end", account("a", "x"), "x", [], false],
  ["a subject without what its kind needs", { kind: "User" }, "ann", [], false],
  ["a subject of an unknown kind", { kind: "Robot", user: { name: "*" } }, "ann", [], false],
])("subjects: %s", (_, subject, name, groups, want) => {
  expect(takesUser(subject, name, ...groups)).toBe(want);
});

const pods = { verbs: ["list"], apiGroups: [""], resources: ["pods"], namespaces: ["a"] };

test.each([
  ["all that it names", {}, "GET", "/api/v1/namespaces/a/pods", true],
  ["another verb", {}, "DELETE", "/api/v1/namespaces/a/pods/x", false],
  ["another group", {}, "GET", "/apis/apps/v1/namespaces/a/pods", false],
  ["another resource", {}, "GET", "/api/v1/namespaces/a/secrets", false],
  ["another namespace", {}, "GET", "/api/v1/namespaces/b/pods", false],
  ["all namespaces at once, which is not every namespace", { namespaces: ["*"] }, "GET", "/api/v1/pods", false],
  ["all namespaces at once, in cluster scope", { clusterScope: true, namespaces: [] }, "GET", "/api/v1/pods", true],
  [
    "a namespace, in cluster scope alone",
    { clusterScope: true, namespaces: [] },
    "GET",
    "/api/v1/namespaces/a/pods",
    false,
  ],
  ["a subresource is not its resource", { verbs: ["get"] }, "GET", "/api/v1/namespaces/a/pods/x/log", false],
  [
    "a subresource by its own name",
    { verbs: ["get"], resources: ["pods/log"] },
    "GET",
    "/api/v1/namespaces/a/pods/x/log",
    true,
  ],
  ["a subresource among all", { verbs: ["get"], resources: ["*"] }, "GET", "/api/v1/namespaces/a/pods/x/log", true],
  ["a path without a resource", { verbs: ["*"], resources: ["*"], clusterScope: true }, "GET", "/healthz", false],
])("resource rules: %s", (_, changes, method, url, want) => {
  expect(takes({ resourceRules: [{ ...pods, ...changes }] }, method, url)).toBe(want);
});

test.each([
  ["/healthz", "/healthz", true],
  ["/healthz", "/healthz/etcd", false],
  ["/healthz/*", "/healthz/etcd", true],
  ["/healthz/*", "/healthz", false],
  ["/healthz/*", "/healthzz", false],
  ["/health*", "/healthz", false],
  ["*", "/anything", true],
  ["*", "/api/v1/pods", false],
])("non-resource rules: %s for a request of %s", (pattern, url, want) => {
  expect(takes({ nonResourceRules: [{ verbs: ["get"], nonResourceURLs: [pattern] }] }, "GET", url)).toBe(want);
});

test("a rule needs both its user and its request, and a schema needs one such rule", () => {
  const request = parseRequestInfo("GET", "/api/v1/namespaces/a/pods");
  const ann: FlowSubject = { kind: "User", user: { name: "ann" } };
  const split = [
    { subjects: [ann], resourceRules: [{ ...pods, namespaces: ["b"] }] },
    { subjects: [{ kind: "User", user: { name: "bob" } }], resourceRules: [pods] },
  ];
  expect(matchesFlowSchema(schema(split), request, userOf("ann"))).toBe(false);
  expect(matchesFlowSchema(schema(split), request, userOf("bob"))).toBe(true);
  expect(matchesFlowSchema(schema([]), request, userOf("ann"))).toBe(false);
  expect(matchesFlowSchema(schema(undefined), request, userOf("ann"))).toBe(false);
  expect(matchesFlowSchema(schema([{ subjects: [ann] }]), request, userOf("ann"))).toBe(false);
});

test("schemas are tried by precedence, 1000 where there is none, and then by name", () => {
  const given = [
    schema([], "d"),
    schema([], "c", 1000),
    schema([], "z", 1),
    schema([], "a", 10_000),
    schema([], "b", 999),
  ];
  expect(byPrecedence(given).map(({ name }) => name)).toEqual(["z", "b", "c", "d", "a"]);
  expect(given.map(({ name }) => name)).toEqual(["d", "c", "z", "a", "b"]);
});
