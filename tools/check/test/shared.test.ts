import { expect, test } from "vitest";
import { auditPolicy } from "../src/controls/3-configuration/audit-policy.ts";
import { permissions } from "../src/controls/5-policies/permissions.ts";
import { areStrong } from "../src/controls/shared/cipher-suites.ts";
import { modeControl, ownerControl } from "../src/controls/shared/file-control.ts";
import {
  atLeast,
  flagControl,
  flagsSetControl,
  includes,
  is,
  isSet,
  isUnset,
} from "../src/controls/shared/flag-control.ts";
import { fieldControl, fieldOf } from "../src/controls/shared/node-control.ts";
import { nameAll, nameOf } from "../src/controls/shared/object-control.ts";
import { activePlugins, readObjects, statusOf } from "../src/evidence/api.ts";
import { renderText } from "../src/report.ts";
import { evidenceOf } from "./support.ts";

const texts = { number: "0", title: "t", remedy: "r" };

test.each<[string, (value: string) => boolean, readonly string[], readonly string[]]>([
  ["one of some values", is("a", "b"), ["a", "b"], ["", "c", "a,b"]],
  ["a set flag", isSet, ["a", "false"], [""]],
  ["a flag that is not set", isUnset, [""], ["a"]],
  ["a number", atLeast(30), ["30", "1e3"], ["29", "", "x", "-30", "30d"]],
  ["a list", includes("RBAC"), ["RBAC", "Node,RBAC"], ["", "RBACX", "rbac"]],
])("the condition of %s", (_name, accept, good, bad) => {
  expect(good.filter((value) => !accept(value))).toEqual([]);
  expect(bad.filter(accept)).toEqual([]);
});

test.each<[string, boolean]>([
  ["TLS_AES_128_GCM_SHA256", true],
  ["TLS_AES_128_GCM_SHA256,TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", true],
  ["TLS_AES_128_GCM_SHA256,TLS_RSA_WITH_AES_128_GCM_SHA256", false],
  ["TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA", false],
])("whether %s are strong: %s", (suites, want) => {
  expect(areStrong(suites.split(","))).toBe(want);
  expect(areStrong([])).toBe(false);
});

test("a flag that is not set is judged by its default, and shown with it", () => {
  const control = flagControl({ ...texts, daemon: "etcd", flag: "auto-tls", absent: "false", accept: is("false") });
  const judge = (flags?: string) => control.judge(evidenceOf(flags === undefined ? {} : { flags: { etcd: flags } }));
  expect(judge("")).toMatchObject({ verdict: "met", found: "--auto-tls=false (default)" });
  expect(judge("--auto-tls")).toMatchObject({ verdict: "violated", found: "--auto-tls=true" });
  expect(judge()).toMatchObject({ verdict: "unknown", reason: expect.stringContaining("--process etcd=PID") });
});

test("all of some flags must be set, and not to nothing", () => {
  const control = flagsSetControl({ ...texts, daemon: "etcd", flags: ["cert-file", "key-file"] });
  const judge = (flags: string) => control.judge(evidenceOf({ flags: { etcd: flags } }));
  expect(judge("--cert-file=/c --key-file=/k")).toMatchObject({ verdict: "met" });
  expect(judge("--cert-file=/c")).toMatchObject({
    verdict: "violated",
    found: "--cert-file=/c, --key-file is not set",
  });
  expect(judge("--cert-file=/c --key-file=")).toMatchObject({ verdict: "violated" });
});

test.each([
  [0o600, 0o600, "met"],
  [0o400, 0o600, "met"],
  [0o640, 0o600, "violated"],
  [0o601, 0o600, "violated"],
  [0o700, 0o600, "violated"],
  [0o644, 0o644, "met"],
  // More digits, but none for others: what counts are the permissions, not the number.
  [0o044, 0o600, "violated"],
  // The kind of file is no permission.
  [0o100600, 0o600, "met"],
])("a file with mode %o, of which %o are allowed, is %s", (mode, atMost, want) => {
  const control = modeControl({ ...texts, role: "admin-client", without: "none", atMost });
  expect(control.judge(evidenceOf({ files: { "admin-client": { mode } } })).verdict).toBe(want);
});

test("a file belongs to root or to the user of a daemon", () => {
  const control = ownerControl({ ...texts, role: "admin-client", without: "none" });
  const given = { flags: { etcd: "" }, files: { "admin-client": { uid: 7 } } };
  expect(control.judge(evidenceOf(given))).toMatchObject({
    verdict: "violated",
    found: "/admin-client belongs to user 7",
  });
  const own = evidenceOf(given);
  const daemons = { etcd: { flags: new Map<string, string>(), uid: 7, source: "" } };
  expect(control.judge({ ...own, daemons })).toMatchObject({ verdict: "met" });
});

test("without files a control is not applicable, or unknown if they could not be seen", () => {
  const visible = modeControl({ ...texts, role: "admin-client", without: "there is none", atMost: 0o600 });
  const hidden = modeControl({ ...texts, role: "store", without: "there is none", atMost: 0o700 });
  expect(visible.judge(evidenceOf({}))).toEqual({ verdict: "notApplicable", reason: "there is none" });
  expect(hidden.judge(evidenceOf({})).verdict).toBe("unknown");
  expect(hidden.judge(evidenceOf({ flags: { "orch-apiserver": "" } })).verdict).toBe("notApplicable");
});

test("fields of agents are found by their path, and absent ones are undefined", () => {
  expect(fieldOf({ a: { b: 1 } }, "a.b")).toBe(1);
  expect([fieldOf({ a: 1 }, "a.b"), fieldOf({ a: null }, "a.b"), fieldOf(undefined, "a")]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  const control = fieldControl({ ...texts, field: "a.b", accept: (value) => value === 1 });
  expect(control.judge(evidenceOf({ settings: { a: {} } }))).toMatchObject({
    verdict: "violated",
    found: "n: a.b is undefined",
  });
  expect(control.judge({ ...evidenceOf({}), nodes: [] }).verdict).toBe("notApplicable");
});

test("of many objects eight are named", () => {
  const names = Array.from({ length: 10 }, (_, i) => String(i));
  expect(nameAll(names)).toBe("0, 1, 2, 3, 4, 5, 6, 7 and 2 more");
  expect(nameAll(names.slice(0, 8))).toBe("0, 1, 2, 3, 4, 5, 6, 7");
  expect(nameOf({ metadata: { name: "a" } })).toBe("a");
  expect(nameOf({ metadata: { name: "a", namespace: "b" } })).toBe("b/a");
});

const policyOf = (...rules: readonly object[]) => {
  const empty = { users: [], userGroups: [], verbs: [], resources: [], namespaces: [], nonResourceURLs: [] };
  const full = rules.map((rule) => ({ ...empty, omitStages: [], ...rule }));
  return {
    flags: { "orch-apiserver": "--audit-policy-file=/p" },
    auditPolicy: { value: { rules: full, omitStages: [], omitManagedFields: false }, source: "/p" } as never,
  };
};
const of = (group: string, ...resources: readonly string[]) => ({ group, resources, resourceNames: [] });
const secrets = {
  level: "Metadata",
  resources: [of("", "secrets", "serviceaccounts/token"), of("authentication.o8s.io", "tokenreviews")],
};

test.each<[string, readonly object[], string]>([
  ["bodies, but not those with credentials", [secrets, { level: "Request" }], ""],
  ["bodies with credentials", [{ level: "Request" }], "get secrets at Request"],
  [
    "tokens in responses",
    [{ ...secrets, resources: [of("", "secrets")] }, { level: "RequestResponse" }],
    "create serviceaccounts/token at RequestResponse",
  ],
  ["no bodies of workloads", [{ level: "Metadata" }], "create pods at Metadata"],
  [
    "no commands in pods",
    [secrets, { level: "None", resources: [of("", "pods/exec")] }, { level: "Request" }],
    "create pods/exec at None",
  ],
  ["nobody's requests but one user's", [{ level: "Request", users: ["ann"] }], "get secrets at None"],
])("an audit policy that records %s", (_name, rules, gap) => {
  const control = auditPolicy.find(({ number }) => number === "3.2.2");
  const finding = control?.judge(evidenceOf(policyOf(...rules)));
  expect(finding?.verdict).toBe(gap === "" ? "met" : "violated");
  expect(finding).toMatchObject({ found: expect.stringContaining(gap) });
});

const escalation = permissions.find(({ number }) => number === "5.1.8");
test.each<[string, object, string]>([
  ["impersonates users", { verbs: ["impersonate"], apiGroups: [""], resources: ["users"] }, "violated"],
  ["binds roles", { verbs: ["bind"], apiGroups: ["rbac.authorization.o8s.io"], resources: ["roles"] }, "violated"],
  ["may do everything", { verbs: ["*"], apiGroups: ["*"], resources: ["*"] }, "violated"],
  ["binds what is in another group", { verbs: ["bind"], apiGroups: ["acme.io"], resources: ["roles"] }, "met"],
  ["reads roles", { verbs: ["get"], apiGroups: ["rbac.authorization.o8s.io"], resources: ["roles"] }, "met"],
  ["names only paths", { verbs: ["bind"] }, "met"],
])("a role that %s", (_name, rule, want) => {
  const role = { kind: "Role" as const, metadata: { name: "r", namespace: "a" }, rules: [rule] };
  const finding = escalation?.judge(evidenceOf({ objects: { roles: [role] } }));
  expect(finding?.verdict).toBe(want);
  if (want === "violated") expect(finding).toMatchObject({ found: "roles that allow it: Role a/r" });
});

test.each([
  ["ServiceAccount", "x", "violated"],
  ["Group", "system:authenticated", "violated"],
  ["Group", "system:unauthenticated", "violated"],
  ["Group", "system:serviceaccounts", "violated"],
  ["Group", "system:serviceaccounts:a", "violated"],
  ["User", "system:anonymous", "violated"],
  ["User", "ann", "met"],
  // A user may have the name of a group.
  ["User", "system:authenticated", "met"],
  ["Group", "admins", "met"],
])("cluster-admin bound to %s %s", (kind, name, want) => {
  const control = permissions.find(({ number }) => number === "5.1.1");
  const roleRef = { kind: "ClusterRole", name: "cluster-admin" };
  const bindings = [{ metadata: { name: "b" }, roleRef, subjects: [{ kind, name }] }];
  expect(control?.judge(evidenceOf({ objects: { bindings } })).verdict).toBe(want);
  expect(control?.judge(evidenceOf({ objects: { bindings: [{ metadata: { name: "b" }, roleRef }] } })).verdict).toBe(
    "met",
  );
});

/** A client that answers each request from a function. */
const clientOf = (answer: (request: { readonly path: string; readonly query?: object }) => unknown) =>
  ({ request: async (request: never) => answer(request) }) as never;

test("lists are read page by page, and only the names of secrets", async () => {
  const requests: { readonly path: string; readonly query?: object; readonly accept?: string }[] = [];
  const objects = await readObjects(
    clientOf((request) => {
      requests.push(request);
      if (request.path !== "/api/v1/pods") return { items: null };
      const isSecond = "continue" in (request.query ?? {});
      return isSecond ? { items: [{ page: 2 }] } : { metadata: { continue: "next" }, items: [{ page: 1 }] };
    }),
  );
  expect(objects.pods).toEqual([{ page: 1 }, { page: 2 }]);
  expect(objects.namespaces).toEqual([]);
  const pages = requests.filter(({ path }) => path === "/api/v1/pods").map(({ query }) => query);
  expect(pages).toEqual([{ limit: 500 }, { limit: 500, continue: "next" }]);
  expect(requests.find(({ path }) => path === "/api/v1/secrets")?.accept).toContain("as=PartialObjectMetadataList");
});

test("a list without an end is given up", async () => {
  const items = Array.from({ length: 30_000 }, () => ({}));
  const endless = clientOf(() => ({ metadata: { continue: "more" }, items }));
  await expect(readObjects(endless)).rejects.toThrow("has more than 50000 objects");
});

test("plugins are those that metrics name, and none if there are no metrics", async () => {
  const line = (labels: string) => `apiserver_admission_controller_admission_duration_seconds_count{${labels}} 1`;
  const text = [
    line('name="PodSecurity",operation="CREATE"'),
    line('operation="CREATE",name="PodSecurity"'),
    line('operation="UPDATE",rejected="false",name="NodeRestriction"'),
    'apiserver_admission_step_admission_duration_seconds_count{name="Other"} 1',
    `# ${line('name="Comment"')}`,
  ].join("\n");
  expect([...(await activePlugins(clientOf(() => text)))]).toEqual(["PodSecurity", "NodeRestriction"]);
  const broken = clientOf(() => {
    throw new Error("no connection");
  });
  expect([...(await activePlugins(broken))]).toEqual([]);
  expect(await statusOf(broken, "/")).toBeUndefined();
  expect(
    await statusOf(
      clientOf(() => ""),
      "/",
    ),
  ).toBe(200);
});

test("the report of nothing is its last line", () => {
  expect(renderText([])).toBe("\n0 passed, 0 failed, 0 warnings, 0 not applicable");
});
