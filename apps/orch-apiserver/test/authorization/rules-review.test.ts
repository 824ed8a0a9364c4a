import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startApiServer, startWebhookServer, type TestApiServer, type WebhookServer } from "@orchernetes/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { call, type Json } from "../support.ts";

const dir = mkdtempSync(join(tmpdir(), "rules-review-"));
const group = "rbac.authorization.o8s.io";
let webhook: WebhookServer;
let server: TestApiServer;
let without: TestApiServer;

beforeAll(async () => {
  // Allows nobody anything.
  const answer = { apiVersion: "authorization.o8s.io/v1", kind: "SubjectAccessReview", status: { allowed: false } };
  webhook = await startWebhookServer({ behaviour: { type: "answer", body: () => answer } });
  const webhookConfig = join(dir, "webhook.json");
  const cluster = { server: webhook.url, "certificate-authority-data": Buffer.from(webhook.caPem).toString("base64") };
  writeFileSync(
    webhookConfig,
    JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name: "w", cluster }],
      users: [{ name: "w", user: {} }],
      contexts: [{ name: "w", context: { cluster: "w", user: "w" } }],
      "current-context": "w",
    }),
  );
  const policyFile = join(dir, "policies.jsonl");
  const policy = (spec: object): string =>
    JSON.stringify({ apiVersion: "abac.authorization.orchernetes.io/v1beta1", kind: "Policy", spec });
  writeFileSync(
    policyFile,
    [
      policy({ user: "alice", namespace: "team", resource: "configmaps", apiGroup: "" }),
      policy({ group: "devs", namespace: "*", resource: "deployments", apiGroup: "apps", readonly: true }),
      policy({ user: "alice", namespace: "*", nonResourcePath: "/metrics", readonly: true }),
    ].join("\n"),
  );
  const abac = `--authorization-policy-file=${policyFile}`;
  [server, without] = await Promise.all([
    startApiServer({
      authorizationMode: "Node,ABAC,Webhook,RBAC",
      flags: [abac, `--authorization-webhook-config-file=${webhookConfig}`, "--authorization-webhook-version=v1"],
    }),
    startApiServer({ authorizationMode: "Node,ABAC,RBAC", flags: [abac] }),
  ]);
  for (const one of [server, without]) await setUp(one);
}, 90_000);
afterAll(async () => {
  await Promise.all([server.stop(), without.stop()]);
  await webhook.stop();
  rmSync(dir, { recursive: true });
});

/** Roles of alice in namespace team, one of which does not exist. */
async function setUp(one: TestApiServer): Promise<void> {
  const post = async (path: string, body: object): Promise<void> => {
    expect((await call(one, "POST", path, { body })).status, path).toBe(201);
  };
  const base = `/apis/${group}/v1/namespaces/team`;
  await post("/api/v1/namespaces", { metadata: { name: "team" } });
  await post(`${base}/roles`, {
    metadata: { name: "reader" },
    rules: [{ verbs: ["get"], apiGroups: [""], resources: ["secrets"], resourceNames: ["one"] }],
  });
  for (const name of ["reader", "gone"])
    await post(`${base}/rolebindings`, {
      metadata: { name },
      roleRef: { apiGroup: group, kind: "Role", name },
      subjects: [{ kind: "User", name: "alice", apiGroup: group }],
    });
}

async function rulesOf(
  one: TestApiServer,
  namespace: string,
  user: string,
  ...groups: readonly string[]
): Promise<Json> {
  const { status, json } = await call(one, "POST", "/apis/authorization.o8s.io/v1/selfsubjectrulesreviews", {
    body: { spec: { namespace } },
    headers: {
      "Impersonate-User": user,
      "Impersonate-Group": [...groups, "system:authenticated"] as unknown as string,
    },
  });
  expect(status).toBe(201);
  return json.status as Json;
}

const rule = (verb: string, apiGroup: string, resource: string, ...names: readonly string[]) =>
  expect.objectContaining({
    verbs: [verb],
    apiGroups: [apiGroup],
    resources: [resource],
    ...(names.length > 0 && { resourceNames: names }),
  });

test("rules are those of all authorizers, in their order, and errors do not hide them", async () => {
  const review = async () => rulesOf(without, "team", "alice", "devs");
  await expect.poll(async () => (await review()).evaluationError).toBeDefined();
  const status = await review();
  expect(status.resourceRules).toEqual(
    expect.arrayContaining([
      rule("*", "", "configmaps"),
      { verbs: ["get", "list", "watch"], apiGroups: ["apps"], resources: ["deployments"] },
      rule("get", "", "secrets", "one"),
    ]),
  );
  expect((status.resourceRules as unknown as readonly Json[])[0]).toEqual(rule("*", "", "configmaps"));
  expect(status.nonResourceRules).toEqual(
    expect.arrayContaining([{ verbs: ["get", "list", "watch"], nonResourceURLs: ["/metrics"] }]),
  );
  expect(status).toMatchObject({ incomplete: false, evaluationError: `role.${group} "gone" not found` });
});

test("rules are those of the namespace that is asked about", async () => {
  const { resourceRules, evaluationError } = await rulesOf(without, "default", "alice");
  expect(resourceRules).not.toContainEqual(rule("*", "", "configmaps"));
  expect(resourceRules).not.toContainEqual(rule("get", "", "secrets", "one"));
  expect(evaluationError).toBeUndefined();
});

test("what a service or the node authorizer allows is not listed, and the review says so", async () => {
  const service = "webhook authorizer does not support user rule resolution";
  const node = "node authorizer does not support user rule resolution";
  const missing = `role.${group} "gone" not found`;
  await expect
    .poll(async () => rulesOf(server, "team", "alice"))
    .toMatchObject({ incomplete: true, evaluationError: `[${service}, ${missing}]` });
  const asNode = ["system:node:n", "system:nodes"] as const;
  expect(await rulesOf(without, "team", ...asNode)).toMatchObject({ incomplete: true, evaluationError: node });
  expect(await rulesOf(server, "team", ...asNode)).toMatchObject({
    incomplete: true,
    evaluationError: `[${node}, ${service}]`,
  });
});

test("a review without a namespace is refused", async () => {
  const path = "/apis/authorization.o8s.io/v1/selfsubjectrulesreviews";
  const { status, json } = await call(without, "POST", path, { body: { spec: {} } });
  expect([status, json.message]).toEqual([400, "no namespace on request"]);
});
