import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  failedStart,
  startApiServer,
  startWebhookServer,
  type TestApiServer,
  type WebhookServer,
} from "@orchernetes/testkit";
import { createCertificateAuthority, issueClientCertificate } from "@orchernetes/tls";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { call, type Json } from "../support.ts";

const dir = mkdtempSync(join(tmpdir(), "webhook-authorization-"));
const configMaps = "/api/v1/namespaces/default/configmaps";
let webhook: WebhookServer;
let server: TestApiServer;
let config: string;

/** Allows what users named "good" do, denies "bad", and has no opinion on the rest. */
const decide = ({ body }: { readonly body: unknown }): unknown => {
  const { spec, apiVersion, kind } = body as Json;
  const user = String(spec?.user);
  const status = user.startsWith("good")
    ? { allowed: true, reason: "good" }
    : user.startsWith("bad")
      ? { allowed: false, denied: true, reason: "you are bad" }
      : { allowed: false, reason: "unknown to me" };
  return { apiVersion, kind, status };
};
const truthful = { type: "answer", body: decide } as const;

function writeConfig(name: string, url: string, caPem: string, client: { certPem: string; keyPem: string }): string {
  const path = join(dir, name);
  const data = (text: string): string => Buffer.from(text).toString("base64");
  const document = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "c", cluster: { server: `${url}/authorize`, "certificate-authority-data": data(caPem) } }],
    users: [
      {
        name: "u",
        user: { "client-certificate-data": data(client.certPem), "client-key-data": data(client.keyPem) },
      },
    ],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  };
  writeFileSync(path, JSON.stringify(document), { mode: 0o600 });
  return path;
}

beforeAll(async () => {
  const ca = await createCertificateAuthority({ commonName: "clients" });
  const client = await issueClientCertificate(ca, { commonName: "orch-apiserver" });
  webhook = await startWebhookServer({ behaviour: truthful, clientCaPem: ca.certPem });
  config = writeConfig("config", webhook.url, webhook.caPem, client);
  server = await startApiServer({
    authorizationMode: "Webhook,RBAC",
    flags: [`--authorization-webhook-config-file=${config}`, "--authorization-webhook-version=v1"],
  });
}, 60_000);
afterEach(() => webhook.behave(truthful));
afterAll(async () => {
  await server.stop();
  await webhook.stop();
  rmSync(dir, { recursive: true });
});

const as = (user: string, path: string, method = "GET", body?: object, groups: readonly string[] = ["dev"]) =>
  call(server, method, path, {
    body,
    headers: { "Impersonate-User": user, "Impersonate-Group": groups.join(",") },
  });
const asked = (user: string) => webhook.requests.filter(({ body }) => String((body as Json).spec?.user) === user);

test("the service decides about users, and sees what they do", async () => {
  expect((await as("good", configMaps)).status).toBe(200);
  expect(asked("good")).toMatchObject([
    {
      method: "POST",
      path: "/authorize",
      clientName: "orch-apiserver",
      body: {
        apiVersion: "authorization.o8s.io/v1",
        kind: "SubjectAccessReview",
        spec: {
          user: "good",
          groups: expect.arrayContaining(["dev"]),
          resourceAttributes: { namespace: "default", verb: "list", group: "", version: "v1", resource: "configmaps" },
        },
      },
    },
  ]);
});

test("a denial ends it, and no opinion leaves it to the next mode", async () => {
  const denied = await as("bad", "/version");
  expect([denied.status, denied.json.message]).toEqual([403, expect.stringContaining("you are bad")]);
  // Everybody who is authenticated may read the version by RBAC.
  expect((await as("nobody", "/version", "GET", undefined, ["system:authenticated"])).status).toBe(200);
  const refused = await as("nobody", configMaps);
  expect([refused.status, refused.json.message]).toEqual([403, expect.stringContaining("unknown to me")]);
});

test("decisions are remembered, and requests at the same time share one", async () => {
  const answers = await Promise.all(Array.from({ length: 8 }, () => as("good-cached", configMaps)));
  expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
  await as("bad-cached", configMaps);
  await as("bad-cached", configMaps);
  expect([asked("good-cached"), asked("bad-cached")].map(({ length }) => length)).toEqual([1, 1]);
});

test("superusers never depend on the service", async () => {
  const before = webhook.requests.length;
  webhook.behave({ type: "hangUp" });
  expect((await call(server, "GET", configMaps)).status).toBe(200);
  expect(webhook.requests.length).toBe(before);
});

test.each<[string, Parameters<WebhookServer["behave"]>[0]]>([
  ["refuses", { type: "answer", status: 403, body: () => "no" }],
  [
    "is no review service",
    { type: "answer", body: () => ({ kind: "Pod", apiVersion: "v1", status: { allowed: true } }) },
  ],
  ["answers with something else", { type: "answer", body: () => "<html>" }],
  ["answers with null", { type: "answer", body: () => null }],
  ["sends without end", { type: "enormous", bytes: 100_000_000 }],
])("a service that %s allows nothing, and the next mode is still asked", async (name, behaviour) => {
  webhook.behave(behaviour);
  const user = `good ${name}`;
  const refused = await as(user, configMaps);
  expect([refused.status, refused.json.reason]).toEqual([500, "InternalError"]);
  expect((await as(user, "/version", "GET", undefined, ["system:authenticated"])).status).toBe(200);
  // An error is not remembered.
  webhook.behave(truthful);
  expect((await as(user, configMaps)).status).toBe(200);
});

test("a service that fails for a moment is asked again", async () => {
  let failures = 0;
  webhook.behave({
    type: "answer",
    get status() {
      return ++failures <= 2 ? 500 : 200;
    },
    body: decide,
  });
  expect((await as("good-later", configMaps)).status).toBe(200);
  expect(asked("good-later")).toHaveLength(3);
});

test("a service that never answers does not hold up others", async () => {
  webhook.behave({ type: "silent" });
  const waiting = as("good-waiting", configMaps);
  await expect.poll(() => asked("good-waiting").length).toBe(1);
  expect((await call(server, "GET", configMaps)).status).toBe(200);
  expect((await as("good", configMaps)).status).toBe(200);
  // The connection is reset, so the service is asked again.
  webhook.behave(truthful);
  webhook.cut();
  expect((await waiting).status).toBe(200);
});

test("rules reviews say that the service may allow more", async () => {
  const { json } = await as("good", "/apis/authorization.o8s.io/v1/selfsubjectrulesreviews", "POST", {
    spec: { namespace: "default" },
  });
  expect(json.status).toMatchObject({
    incomplete: true,
    evaluationError: "webhook authorizer does not support user rule resolution",
  });
});

test("questions and failures are counted", async () => {
  const { text } = await call(server, "GET", "/metrics");
  expect(text).toMatch(/apiserver_authorization_webhook_evaluations_total\{result="success"\} [1-9]/);
  expect(text).toMatch(/apiserver_authorization_webhook_evaluations_total\{result="error"\} [1-9]/);
  expect(text).toMatch(/apiserver_authorization_webhook_duration_seconds_count\{result="success"\} [1-9]/);
});

test("mode and file are given together, and the file is checked", () => {
  const base = ["--etcd-servers=http://127.0.0.1:1"];
  const without = failedStart("orch-apiserver", [...base, "--authorization-mode=Webhook"]);
  expect(without.errors).toEqual([
    "--authorization-webhook-config-file: not given; --authorization-mode=Webhook needs it",
  ]);
  writeFileSync(join(dir, "bad"), "{}");
  const bad = failedStart("orch-apiserver", [...base, `--authorization-webhook-config-file=${join(dir, "bad")}`]);
  expect(bad.errors).toEqual([
    expect.stringMatching(/^--authorization-webhook-config-file: .*bad/),
    expect.stringMatching(
      /^--authorization-webhook-config-file: found ".*"; it can only be given with --authorization-mode=Webhook$/,
    ),
  ]);
});
