import type { rbac } from "@orchernetes/api";
import { seededNumbers } from "@orchernetes/apimachinery";
import { expect, test } from "vitest";
import { abacAuthorizer } from "./abac/abac-authorizer.ts";
import { parseAbacPolicyFile } from "./abac/policy-file.ts";
import type { Attributes } from "./authorizers/authorizer.ts";
import { PolicyIndex } from "./rbac/policy-index.ts";
import { rbacAuthorizer } from "./rbac/rbac-authorizer.ts";

const random = seededNumbers(27);
const one = <T>(...from: readonly T[]): T => from[random(from.length)] as T;
const some = <T>(...from: readonly T[]): T[] => from.filter(() => random(3) === 0);

const accounts = ["system:serviceaccount:n1:robot", "system:serviceaccount:n2:robot"] as const;
function request(): Attributes {
  const resourceRequest = random(4) > 0;
  return {
    user: { name: one("alice", "bob", "", ...accounts), groups: some("dev", "ops", "system:authenticated"), extra: {} },
    verb: one("get", "list", "watch", "create", "delete"),
    namespace: resourceRequest ? one("", "n1", "n2") : "",
    apiGroup: resourceRequest ? one("", "apps") : "",
    apiVersion: "v1",
    resource: resourceRequest ? one("pods", "deployments", "secrets") : "",
    subresource: resourceRequest ? one("", "log", "scale") : "",
    name: resourceRequest ? one("", "a", "b") : "",
    path: one("/", "/api", "/healthz", "/healthz/ping", "/metrics"),
    resourceRequest,
  };
}

const hasPath = (pattern: string, path: string) =>
  pattern === path || (pattern.endsWith("*") && path.startsWith(pattern.slice(0, -1)));

interface Role {
  readonly namespace: string;
  readonly name: string;
  readonly rules: readonly rbac.PolicyRule[];
}
interface Binding {
  readonly namespace: string;
  readonly subjects: readonly rbac.Subject[];
  readonly roleRef: rbac.RoleRef;
}

/** RBAC as it is documented: some binding names the user, and some rule of its role means the request. */
function rbacModel(roles: readonly Role[], bindings: readonly Binding[], asked: Attributes): boolean {
  const means = (rule: rbac.PolicyRule): boolean => {
    const listed = (list: readonly string[] | undefined, value: string) =>
      list?.includes("*") === true || list?.includes(value) === true;
    if (!listed(rule.verbs, asked.verb)) return false;
    if (!asked.resourceRequest) return rule.nonResourceURLs?.some((url) => hasPath(url, asked.path)) === true;
    const { resource, subresource, name } = asked;
    const whole = subresource === "" ? resource : `${resource}/${subresource}`;
    const anySub = subresource !== "" && rule.resources?.includes(`*/${subresource}`) === true;
    if (!listed(rule.apiGroups, asked.apiGroup) || !(anySub || listed(rule.resources, whole))) return false;
    return !rule.resourceNames?.length || rule.resourceNames.includes(name);
  };
  const names = ({ kind, name, namespace }: rbac.Subject, own: string): boolean => {
    if (kind === "User") return name === asked.user.name;
    if (kind === "Group") return asked.user.groups.includes(name);
    const of = namespace || own;
    return of !== "" && asked.user.name === `system:serviceaccount:${of}:${name}`;
  };
  return bindings.some(({ namespace, subjects, roleRef }) => {
    if (namespace !== "" && (!asked.resourceRequest || namespace !== asked.namespace)) return false;
    const at = roleRef.kind === "Role" ? namespace : "";
    const role = roles.find((known) => known.name === roleRef.name && known.namespace === at);
    return subjects.some((subject) => names(subject, namespace)) && role?.rules.some(means) === true;
  });
}

const rule = (): rbac.PolicyRule =>
  random(4) === 0
    ? { verbs: some("get", "*"), nonResourceURLs: some("/healthz*", "/", "/metrics", "*", "/api") }
    : {
        verbs: some("get", "list", "create", "*"),
        apiGroups: some("", "apps", "*"),
        resources: some("pods", "pods/log", "*/scale", "*", "deployments"),
        ...(random(4) === 0 && { resourceNames: some("a", "b") }),
      };

test("RBAC decides 20,000 random requests as a plain model does", () => {
  const subject = (): rbac.Subject => {
    const kind = one("User", "Group", "ServiceAccount");
    if (kind === "ServiceAccount")
      return { kind, name: "robot", ...(random(2) === 0 && { namespace: one("n1", "n2") }) };
    return { kind, name: kind === "User" ? one("alice", "bob", accounts[0]) : one("dev", "ops") };
  };
  let allowed = 0;
  for (let i = 0; i < 500; i++) {
    const roles = ["r1", "r2", "r3"].flatMap((name) =>
      ["", "n1", "n2"].filter(() => random(2) === 0).map((namespace) => ({ namespace, name, rules: [rule(), rule()] })),
    );
    const bindings = Array.from({ length: random(4) }, (): Binding => {
      const namespace = one("", "n1", "n2");
      const kind = namespace === "" ? "ClusterRole" : one("Role", "ClusterRole");
      const roleRef = { apiGroup: "rbac.authorization.o8s.io", kind, name: one("r1", "r2", "r3") };
      return { namespace, subjects: [subject(), subject()], roleRef };
    });
    const index = new PolicyIndex();
    for (const { namespace, name, rules } of roles) index.setRole(namespace, name, { metadata: {}, rules });
    for (const [n, binding] of bindings.entries())
      index.setBinding(binding.namespace, `b${n}`, { metadata: {}, ...binding });
    const authorizer = rbacAuthorizer(index);
    for (let j = 0; j < 40; j++) {
      const asked = request();
      const want = rbacModel(roles, bindings, asked);
      if (want) allowed++;
      const decision = authorizer.authorize(asked) as { readonly type: string };
      if ((decision.type === "Allow") !== want) expect({ roles, bindings, asked, decision }).toBe(want);
    }
  }
  expect(allowed).toBeGreaterThan(400);
});

/** A line of a policy file as it is documented, read straight from its JSON. */
function abacModel(line: Readonly<Record<string, unknown>>, asked: Attributes): boolean {
  const beta = line.kind === "Policy";
  const spec = (beta ? line.spec : line) as Readonly<Record<string, string | boolean | undefined>>;
  const { user = "", group = "", resource = "", namespace = "", apiGroup = "", nonResourcePath = "" } = spec;
  const everybody = user === "*" || group === "*" || (!beta && user === "" && group === "");
  const isSubject = everybody
    ? asked.user.groups.includes("system:authenticated")
    : (user !== "" || group !== "") &&
      (user === "" || user === asked.user.name) &&
      (group === "" || asked.user.groups.includes(String(group)));
  if (!isSubject || (spec.readonly === true && !["get", "list", "watch"].includes(asked.verb))) return false;
  const all = (value: unknown) => value === "*" || (!beta && value === "");
  if (asked.resourceRequest)
    return (
      (all(resource) || resource === asked.resource) &&
      (all(namespace) || namespace === asked.namespace) &&
      (!beta || apiGroup === "*" || apiGroup === asked.apiGroup)
    );
  return beta ? hasPath(String(nonResourcePath), asked.path) : resource === "" && namespace === "";
}

test("ABAC decides 20,000 random requests as a plain model does", () => {
  const maybe = (name: string, ...values: readonly string[]) => (random(2) === 0 ? {} : { [name]: one(...values) });
  const line = (): Record<string, unknown> => {
    const spec = {
      ...maybe("user", "alice", "bob", "*", accounts[0]),
      ...maybe("group", "dev", "ops", "*"),
      ...maybe("resource", "pods", "*", "secrets"),
      ...maybe("namespace", "n1", "*", ""),
      ...(random(3) === 0 && { readonly: random(2) === 0 }),
    };
    if (random(3) === 0) return spec;
    const more = { ...maybe("apiGroup", "", "apps", "*"), ...maybe("nonResourcePath", "/healthz*", "*", "/metrics") };
    const apiVersion = "abac.authorization.orchernetes.io/v1beta1";
    return { apiVersion, kind: "Policy", spec: { ...spec, ...more } };
  };
  let allowed = 0;
  for (let i = 0; i < 1000; i++) {
    const lines = Array.from({ length: 1 + random(3) }, line);
    const text = `# policies\n\n${lines.map((each) => JSON.stringify(each)).join("\n")}\n`;
    const authorizer = abacAuthorizer(parseAbacPolicyFile(text, "file").policies);
    for (let j = 0; j < 20; j++) {
      const asked = request();
      const want = lines.some((each) => abacModel(each, asked));
      if (want) allowed++;
      const decision = authorizer.authorize(asked) as { readonly type: string };
      if ((decision.type === "Allow") !== want) expect({ text, asked, decision }).toBe(want);
    }
  }
  expect(allowed).toBeGreaterThan(1_000);
});
