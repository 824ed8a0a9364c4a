import { startApiServer, type TestApiServer } from "@orchernetes/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { call } from "./support.ts";

const namespace = "/api/v1/namespaces/default";
const configMaps = `${namespace}/configmaps`;
const rbac = "/apis/rbac.authorization.o8s.io/v1";
const configMap = (name: string, data: object = { a: "b" }) => ({
  kind: "ConfigMap",
  apiVersion: "v1",
  metadata: { name },
  data,
});

let server: TestApiServer;
beforeAll(async () => {
  server = await startApiServer({
    authorizationMode: "Node,RBAC",
    flags: ["--enable-admission-plugins=NodeRestriction", "--allow-privileged"],
  });
}, 30_000);
afterAll(() => server?.stop());

/** Who an administrator acts as. */
const as = (user: string, ...groups: readonly string[]) => ({
  headers: { "impersonate-user": user, ...(groups[0] === undefined ? {} : { "impersonate-group": groups[0] }) },
});
const node = (name: string) => as(`system:node:${name}`, "system:nodes");

test.each(["/healthz", "/livez", "/readyz", "/readyz/etcd", "/livez/poststarthook/rbac/bootstrap-roles"])(
  "%s is ok",
  async (path) => {
    expect(await call(server, "GET", path)).toMatchObject({ status: 200, text: "ok" });
  },
);

test("an object is created, read, watched, patched and deleted", async () => {
  const created = await call(server, "POST", configMaps, { body: configMap("walk") });
  expect(created).toMatchObject({ status: 201, json: { metadata: { name: "walk" }, data: { a: "b" } } });
  expect((await call(server, "GET", `${configMaps}/walk`)).json).toEqual(created.json);
  const patched = await call(server, "PATCH", `${configMaps}/walk`, {
    body: { data: { c: "d" } },
    headers: { "content-type": "application/merge-patch+json" },
  });
  expect(patched.json.data).toEqual({ a: "b", c: "d" });
  const list = await call(server, "GET", `${configMaps}?fieldSelector=metadata.name%3Dwalk`);
  expect(list.json.items).toHaveLength(1);
  expect((await call(server, "DELETE", `${configMaps}/walk`)).json).toMatchObject({ status: "Success" });
  expect(await call(server, "GET", `${configMaps}/walk`)).toMatchObject({ status: 404, json: { reason: "NotFound" } });
  const from = created.json.metadata?.resourceVersion;
  const events = await call(server, "GET", `${configMaps}?watch=1&timeoutSeconds=1&resourceVersion=${from}`);
  const types = events.text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).type);
  expect(types).toEqual(["MODIFIED", "DELETED"]);
});

test("rights are those that roles give", async () => {
  const reader = as("reader");
  expect(await call(server, "GET", configMaps, reader)).toMatchObject({
    status: 403,
    json: {
      message:
        'configmaps is forbidden: User "reader" cannot list resource "configmaps" in API group "" in the namespace "default"',
    },
  });
  await call(server, "POST", `${rbac}/namespaces/default/roles`, {
    body: { metadata: { name: "reads" }, rules: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["list"] }] },
  });
  await call(server, "POST", `${rbac}/namespaces/default/rolebindings`, {
    body: {
      metadata: { name: "reads" },
      roleRef: { apiGroup: "rbac.authorization.o8s.io", kind: "Role", name: "reads" },
      subjects: [{ kind: "User", name: "reader", apiGroup: "rbac.authorization.o8s.io" }],
    },
  });
  await expect.poll(async () => (await call(server, "GET", configMaps, reader)).status).toBe(200);
  expect((await call(server, "GET", `${configMaps}/x`, reader)).status).toBe(403);
  const review = await call(server, "POST", "/apis/authorization.o8s.io/v1/subjectaccessreviews", {
    body: {
      spec: { user: "reader", resourceAttributes: { verb: "list", resource: "configmaps", namespace: "default" } },
    },
  });
  expect(review.json.status).toMatchObject({ allowed: true });
});

test("a service account's token identifies it until the account is deleted", async () => {
  await call(server, "POST", `${namespace}/serviceaccounts`, { body: { metadata: { name: "robot" } } });
  const request = { spec: { expirationSeconds: 600 } };
  const issued = await call(server, "POST", `${namespace}/serviceaccounts/robot/token`, { body: request });
  expect(issued.status).toBe(201);
  const token = String(issued.json.status?.token);
  const review = await call(server, "POST", "/apis/authentication.o8s.io/v1/tokenreviews", {
    body: { spec: { token } },
  });
  expect(review.json.status).toMatchObject({
    authenticated: true,
    user: { username: "system:serviceaccount:default:robot" },
  });
  expect((await call(server, "GET", configMaps, { token })).status).toBe(403);
  // Identities are remembered for ten seconds; this token is not known yet.
  const later = await call(server, "POST", `${namespace}/serviceaccounts/robot/token`, { body: request });
  await call(server, "DELETE", `${namespace}/serviceaccounts/robot`);
  expect((await call(server, "GET", configMaps, { token: String(later.json.status?.token) })).status).toBe(401);
});

test("a node changes what is its own and nothing else", async () => {
  const nodes = "/api/v1/nodes";
  const body = { kind: "Node", apiVersion: "v1", metadata: { name: "n1" } };
  expect((await call(server, "POST", nodes, { body, ...node("n1") })).status).toBe(201);
  const other = await call(server, "POST", nodes, { body: { ...body, metadata: { name: "n2" } }, ...node("n1") });
  expect(other.json.message).toContain('node "n1" is not allowed to modify node "n2"');
  const secret = { metadata: { name: "mounted" }, stringData: { a: "b" } };
  await call(server, "POST", `${namespace}/secrets`, { body: secret });
  expect((await call(server, "GET", `${namespace}/secrets/mounted`, node("n1"))).status).toBe(403);
  await call(server, "POST", `${namespace}/serviceaccounts`, { body: { metadata: { name: "default" } } });
  const pod = {
    metadata: { name: "uses-it" },
    spec: {
      nodeName: "n1",
      containers: [{ name: "c", image: "x" }],
      volumes: [{ name: "v", secret: { secretName: "mounted" } }],
    },
  };
  expect((await call(server, "POST", `${namespace}/pods`, { body: pod })).status).toBe(201);
  await expect
    .poll(async () => (await call(server, "GET", `${namespace}/secrets/mounted`, node("n1"))).status)
    .toBe(200);
  expect((await call(server, "GET", `${namespace}/secrets/mounted`, node("n2"))).status).toBe(403);
});

test("a quota refuses what is too much, side by side too", async () => {
  const quotas = `${namespace}/resourcequotas`;
  const hard = { "count/leases.coordination.o8s.io": "5" };
  await call(server, "POST", quotas, { body: { metadata: { name: "few" }, spec: { hard } } });
  const status = { hard, used: { "count/leases.coordination.o8s.io": "0" } };
  await call(server, "PATCH", `${quotas}/few/status`, {
    body: { status },
    headers: { "content-type": "application/merge-patch+json" },
  });
  const leases = "/apis/coordination.o8s.io/v1/namespaces/default/leases";
  await expect
    .poll(async () => (await call(server, "GET", `${quotas}/few?resourceVersion=0`)).json.status?.used)
    .toEqual(status.used);
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, i) => call(server, "POST", leases, { body: { metadata: { name: `l${i}` } } })),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
  const refused = answers.find(({ status }) => status === 403);
  expect(refused?.json.message).toContain(
    "exceeded quota: few, requested: count/leases.coordination.o8s.io=1, used: count/leases.coordination.o8s.io=5, limited: count/leases.coordination.o8s.io=5",
  );
  expect((await call(server, "GET", `${quotas}/few`)).json.status?.used).toEqual({
    "count/leases.coordination.o8s.io": "5",
  });
});

test("what was acknowledged is there after kill -9", async () => {
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) => call(server, "POST", configMaps, { body: configMap(`kept-${i}`) })),
  );
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
  await server.kill9();
  await server.restart();
  for (const { json } of answers)
    expect((await call(server, "GET", `${configMaps}/${json.metadata?.name}`)).json).toEqual(json);
}, 30_000);
