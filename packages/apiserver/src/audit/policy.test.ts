import { expect, test } from "vitest";
import { parseRequestInfo } from "../http/request-info.ts";
import { AuditPolicyEvaluator, type AuditRule } from "./policy.ts";

const empty: AuditRule = {
  level: "Metadata",
  users: [],
  userGroups: [],
  verbs: [],
  resources: [],
  namespaces: [],
  nonResourceURLs: [],
  omitStages: [],
};
const alice = { name: "alice", groups: ["dev", "system:authenticated"], extra: {} };
const resources = (...names: string[]) => ({ resources: [{ group: "", resources: names, resourceNames: [] }] });

const pods = "/api/v1/namespaces/a/pods";
test.each<[string, Partial<AuditRule>, string, boolean]>([
  ["a rule without conditions matches everything", {}, "GET /healthz", true],
  ["a user", { users: ["bob", "alice"] }, `GET ${pods}`, true],
  ["another user", { users: ["bob"] }, `GET ${pods}`, false],
  ["a group", { userGroups: ["dev"] }, `GET ${pods}`, true],
  ["another group", { userGroups: ["ops"] }, `GET ${pods}`, false],
  ["a verb", { verbs: ["list"] }, `GET ${pods}`, true],
  ["another verb", { verbs: ["get"] }, `GET ${pods}`, false],
  ["a namespace", { namespaces: ["a"] }, `GET ${pods}`, true],
  ["another namespace", { namespaces: ["b"] }, `GET ${pods}`, false],
  ["a namespace never matches other paths", { namespaces: [""] }, "GET /healthz", false],
  ["no namespace", { namespaces: [""] }, "GET /api/v1/nodes", true],
  ["a resource", resources("pods"), `GET ${pods}/x`, true],
  ["a resource without its subresources", resources("pods"), `GET ${pods}/x/log`, false],
  ["a subresource", resources("pods/log"), `GET ${pods}/x/log`, true],
  ["all subresources", resources("pods/*"), `GET ${pods}/x/log`, true],
  ["a subresource of all", resources("*/status"), `PUT ${pods}/x/status`, true],
  ["a subresource of all is not the resource", resources("*/status"), `PUT ${pods}/x`, false],
  ["all resources", resources("*"), `PUT ${pods}/x/status`, true],
  ["another group's resource", resources("*"), "GET /apis/apps/v1/deployments", false],
  ["a whole group", { resources: [{ group: "apps", resources: [], resourceNames: [] }] }, "GET /apis/apps/v1/x", true],
  ["a name", { resources: [{ group: "", resources: ["pods"], resourceNames: ["x"] }] }, `GET ${pods}/x`, true],
  ["another name", { resources: [{ group: "", resources: ["pods"], resourceNames: ["x"] }] }, `GET ${pods}/y`, false],
  ["a path", { nonResourceURLs: ["/healthz"] }, "GET /healthz", true],
  ["a path below", { nonResourceURLs: ["/healthz"] }, "GET /healthz/etcd", false],
  ["a prefix", { nonResourceURLs: ["/healthz*"] }, "GET /healthz/etcd", true],
  ["every path", { nonResourceURLs: ["*"] }, "GET /metrics", true],
  ["paths are not resources", { nonResourceURLs: ["*"] }, `GET ${pods}`, false],
])("%s", (_name, rule, request, want) => {
  const [method = "", path = ""] = request.split(" ");
  const policy = new AuditPolicyEvaluator({ rules: [{ ...empty, ...rule }], omitStages: [], omitManagedFields: false });
  expect(policy.evaluate(parseRequestInfo(method, path), alice).level).toBe(want ? "Metadata" : "None");
});

test("the first matching rule decides, and adds its stages to those of the policy", () => {
  const policy = new AuditPolicyEvaluator({
    omitStages: ["RequestReceived"],
    omitManagedFields: true,
    rules: [
      { ...empty, level: "None", users: ["bob"] },
      { ...empty, level: "Request", omitStages: ["Panic"], omitManagedFields: false },
      { ...empty, level: "RequestResponse" },
    ],
  });
  const info = parseRequestInfo("GET", pods);
  expect(policy.evaluate(info, alice)).toEqual({
    level: "Request",
    omitStages: new Set(["RequestReceived", "Panic"]),
    omitManagedFields: false,
  });
  expect(policy.evaluate(info, { ...alice, name: "bob" })).toMatchObject({ level: "None", omitManagedFields: true });
});

test("a rule for users does not match unauthenticated clients", () => {
  const policy = new AuditPolicyEvaluator({
    rules: [
      { ...empty, users: ["alice"] },
      { ...empty, level: "Request", verbs: ["get"] },
    ],
    omitStages: [],
    omitManagedFields: false,
  });
  expect(policy.evaluate(parseRequestInfo("GET", "/x"), undefined).level).toBe("Request");
});
