import { seededNumbers } from "@orchernetes/apimachinery";
import type { UserInfo } from "@orchernetes/auth";
import { expect, test } from "vitest";
import type { RequestInfo } from "../interfaces/index.ts";
import { type AuditPolicy, AuditPolicyEvaluator, type AuditRule, type AuditStage } from "./policy.ts";

/** The documented rules, each in one plain sentence of code. */
function matches(rule: AuditRule, info: RequestInfo, user: UserInfo | undefined): boolean {
  const lists = <T>(list: readonly T[], has: (one: T) => boolean) => list.length === 0 || list.some(has);
  if (!lists(rule.users, (name) => name === user?.name)) return false;
  if (!lists(rule.userGroups, (group) => user?.groups.includes(group) === true)) return false;
  if (!lists(rule.verbs, (verb) => verb === info.verb)) return false;
  if (rule.resources.length === 0 && rule.namespaces.length === 0) {
    if (rule.nonResourceURLs.length === 0) return true;
    const { isResourceRequest, path } = info;
    return !isResourceRequest && rule.nonResourceURLs.some((url) => likePath(url).test(path));
  }
  if (!info.isResourceRequest || !lists(rule.namespaces, (namespace) => namespace === info.namespace)) return false;
  return lists(rule.resources, ({ group, resources, resourceNames }) => {
    if (group !== info.apiGroup) return false;
    if (resources.length === 0) return true;
    if (!lists(resourceNames, (name) => name === info.name)) return false;
    const { resource, subresource } = info;
    const meant = ["*", `${resource}/*`, subresource === "" ? resource : `${resource}/${subresource}`];
    if (subresource !== "") meant.push(`*/${subresource}`);
    return resources.some((pattern) => meant.includes(pattern));
  });
}

const likePath = (url: string) =>
  new RegExp(
    `^${url
      .replace(/\*$/, "ANY")
      .replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
      .replace(/ANY$/, ".*")}$`,
  );

const stages: readonly AuditStage[] = ["RequestReceived", "ResponseStarted", "ResponseComplete", "Panic"];

test("20,000 random requests are judged as a plain model of the policy judges them", () => {
  const random = seededNumbers(27);
  const one = <T>(...from: readonly T[]): T => from[random(from.length)] as T;
  const some = <T>(...from: readonly T[]): T[] => (random(2) === 0 ? [] : from.filter(() => random(3) === 0));
  const rule = (): AuditRule => {
    const paths = random(4) === 0 ? some("/", "/healthz", "/healthz*", "/metrics*", "*") : [];
    const entry = () => ({
      group: one("", "apps"),
      resources: some("pods", "pods/log", "pods/*", "*/log", "*", "deployments", "*/scale"),
      resourceNames: some("a", "b"),
    });
    return {
      level: one("None", "Metadata", "Request", "RequestResponse"),
      users: some("alice", "bob", ""),
      userGroups: some("dev", "ops"),
      verbs: some("get", "list", "create", "post"),
      resources: paths.length > 0 ? [] : some(entry(), entry()),
      namespaces: paths.length > 0 ? [] : some("", "n1", "n2"),
      nonResourceURLs: paths,
      omitStages: some(...stages),
      ...(random(3) === 0 && { omitManagedFields: random(2) === 0 }),
    };
  };
  let matched = 0;
  for (let i = 0; i < 1000; i++) {
    const policy: AuditPolicy = {
      rules: Array.from({ length: random(5) }, rule),
      omitStages: some(...stages),
      omitManagedFields: random(2) === 0,
    };
    const evaluator = new AuditPolicyEvaluator(policy);
    for (let j = 0; j < 20; j++) {
      const isResourceRequest = random(3) > 0;
      const info = {
        isResourceRequest,
        path: isResourceRequest ? "/api/v1/pods" : one("/", "/healthz", "/healthz/etcd", "/metrics", "/version"),
        verb: one("get", "list", "create", "post"),
        apiGroup: one("", "apps"),
        namespace: one("", "n1", "n2", "n3"),
        resource: isResourceRequest ? one("pods", "deployments") : "",
        subresource: isResourceRequest ? one("", "log", "scale") : "",
        name: one("", "a", "b", "c"),
      } as RequestInfo;
      const groups = ["dev", "ops", "other"].filter(() => random(2) === 0);
      const user = random(10) === 0 ? undefined : { name: one("alice", "bob", "carol"), groups, extra: {} };
      const first = policy.rules.find((candidate) => matches(candidate, info, user));
      if (first !== undefined) matched++;
      const verdict = evaluator.evaluate(info, user);
      expect({ ...verdict, omitStages: [...verdict.omitStages].sort() }).toEqual({
        level: first?.level ?? "None",
        omitStages: [...new Set([...policy.omitStages, ...(first?.omitStages ?? [])])].sort(),
        omitManagedFields: first?.omitManagedFields ?? policy.omitManagedFields,
      });
    }
  }
  expect(matched).toBeGreaterThan(2_000);
});
