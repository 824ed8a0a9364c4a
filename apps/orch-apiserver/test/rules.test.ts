import { startApiServer, type TestApiServer } from "@orchernetes/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Answer, call } from "./support.ts";

let server: TestApiServer;
const namespace = "/api/v1/namespaces/default";
const rbac = "/apis/rbac.authorization.o8s.io/v1";
const reviews = "/apis/authentication.o8s.io/v1/tokenreviews";
const priorityClasses = "/apis/scheduling.o8s.io/v1/priorityclasses";
const budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
const group = "rbac.authorization.o8s.io";

const post = (path: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
  call(server, "POST", path, { body, headers });
const put = (path: string, body: object): Promise<Answer> => call(server, "PUT", path, { body });

beforeAll(async () => {
  server = await startApiServer({ store: "embedded", authorizationMode: "Node,RBAC" });
  await post(`${namespace}/serviceaccounts`, { metadata: { name: "default" } });
}, 60_000);
afterAll(() => server.stop());

const secret = { kind: "Secret", apiVersion: "v1", name: "none" };
test.each<[what: string, path: string, body: object, status: number, message: RegExp]>([
  ["no token", reviews, { spec: {} }, 400, /token is required for TokenReview/],
  [
    "a token for too short",
    `${namespace}/serviceaccounts/default/token`,
    { spec: { expirationSeconds: 599 } },
    422,
    /spec\.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes$/,
  ],
  [
    "a token bound to what is not there",
    `${namespace}/serviceaccounts/default/token`,
    { spec: { boundObjectRef: secret } },
    404,
    /^secrets "none" not found$/,
  ],
  [
    "a token bound to a strange kind",
    `${namespace}/serviceaccounts/default/token`,
    { spec: { boundObjectRef: { ...secret, kind: "Node" } } },
    400,
    /cannot bind token/,
  ],
  ["field validation of a strange kind", `${namespace}/configmaps?fieldValidation=Odd`, {}, 422, /fieldValidation/],
  [
    "unknown fields",
    `${namespace}/configmaps?fieldValidation=Strict`,
    { metadata: { name: "a" }, x: 1 },
    400,
    /unknown field "x"/,
  ],
  ["a long manager", `${namespace}/configmaps?fieldManager=${"x".repeat(129)}`, {}, 422, /fieldManager/],
])("%s: refused", async (_, path, body, status, message) => {
  const answer = await post(path, body);
  expect([answer.status, answer.json.message]).toEqual([status, expect.stringMatching(message)]);
});

test("unknown fields are warned of unless ignored", async () => {
  const body = (name: string): object => ({ metadata: { name }, x: 1 });
  const warned = await post(`${namespace}/configmaps`, body("warned"));
  expect([warned.status, warned.headers.warning]).toEqual([201, '299 - "unknown field \\"x\\""']);
  const ignored = await post(`${namespace}/configmaps?fieldValidation=Ignore`, body("ignored"));
  expect([ignored.status, ignored.headers.warning]).toEqual([201, undefined]);
});

test.each(["default", "orch-system", "orch-public"])("the namespace %s stays", async (name) => {
  const { status, json } = await call(server, "DELETE", `/api/v1/namespaces/${name}`);
  expect([status, json.message]).toEqual([403, expect.stringContaining("this namespace may not be deleted")]);
});

test("nothing can be created in a namespace that is being deleted", async () => {
  await post("/api/v1/namespaces", { metadata: { name: "going" } });
  await call(server, "DELETE", "/api/v1/namespaces/going");
  const { status, json } = await post("/api/v1/namespaces/going/configmaps", { metadata: { name: "a" } });
  expect([status, json.details?.causes]).toEqual([
    403,
    [{ reason: "NamespaceTerminating", message: "namespace going is being terminated", field: "metadata.namespace" }],
  ]);
});

test("one priority class at most is the default", async () => {
  const body = (name: string): object => ({ metadata: { name }, value: 1, globalDefault: true });
  expect((await post(priorityClasses, body("first"))).status).toBe(201);
  const second = await post(priorityClasses, body("second"));
  expect([second.status, second.json.message]).toEqual([403, expect.stringContaining("already marked as default")]);
});

describe("rights", () => {
  const as = { "Impersonate-User": "warden" };
  const rights = { apiGroups: [group], resources: ["roles", "rolebindings"], verbs: ["create"] };
  const all = { apiGroups: ["*"], resources: ["*"], verbs: ["*"] };
  const roles = `${rbac}/namespaces/default/roles`;
  const bindings = `${rbac}/namespaces/default/rolebindings`;
  const binding = (name: string, role: string, user: string): object => ({
    metadata: { name },
    roleRef: { apiGroup: group, kind: "Role", name: role },
    subjects: [{ kind: "User", name: user, apiGroup: group }],
  });

  test("a user cannot grant rights that they do not have", async () => {
    await post(roles, { metadata: { name: "warden" }, rules: [rights] });
    await post(roles, { metadata: { name: "all" }, rules: [all] });
    await post(bindings, binding("warden", "warden", "warden"));
    const same = { metadata: { name: "same" }, rules: [rights] };
    await expect.poll(async () => (await post(roles, same, as)).status).toBe(201);
    const more = await post(roles, { metadata: { name: "more" }, rules: [all] }, as);
    expect([more.status, more.json.message]).toEqual([
      403,
      expect.stringContaining("is attempting to grant RBAC permissions not currently held"),
    ]);
    const bound = await post(bindings, binding("more", "all", "friend"), as);
    expect([bound.status, bound.json.message]).toEqual([
      403,
      expect.stringContaining("is attempting to grant RBAC permissions not currently held"),
    ]);
    expect((await post(bindings, binding("same", "same", "friend"), as)).status).toBe(201);
  });
});

describe("evictions", () => {
  const pods = `${namespace}/pods`;
  const evict = (name: string): Promise<Answer> =>
    post(`${pods}/${name}/eviction`, { apiVersion: "policy/v1", kind: "Eviction", metadata: { name } });
  const spec = { nodeName: "n", containers: [{ name: "c", image: "localhost/pause:1" }] };
  const run = async (name: string, labels: object, phase = "Running"): Promise<void> => {
    const { json } = await post(pods, { metadata: { name, labels }, spec });
    const conditions = [{ type: "Ready", status: "True" }];
    await put(`${pods}/${name}/status`, { ...json, status: { phase, conditions } });
  };

  test.each(["one", "two"])("budget %s", async (name) => {
    const selector = { matchLabels: { guarded: "yes" } };
    const { status } = await post(budgets, { metadata: { name }, spec: { minAvailable: 1, selector } });
    expect(status).toBe(201);
    await run(`guarded-${name}`, { guarded: "yes" });
    const answer = await evict(`guarded-${name}`);
    // With the second budget nobody can tell which one counts.
    if (name === "two") expect(answer.status).toBe(500);
    else expect([answer.status, answer.json.details?.causes?.[0]?.reason]).toEqual([429, "DisruptionBudget"]);
  });

  test("what is over is no loss", async () => {
    await run("over", { guarded: "yes" }, "Succeeded");
    expect((await evict("over")).status).toBe(201);
    expect((await call(server, "GET", `${pods}/over`)).status).toBe(404);
  });
});
