import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type OidcIssuer,
  startApiServer,
  startOidcIssuer,
  startWebhookServer,
  type TestApiServer,
  type WebhookBehaviour,
  type WebhookServer,
} from "@orchernetes/testkit";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { call } from "./support.ts";

const dir = mkdtempSync(join(tmpdir(), "token-authenticators-"));
const REVIEWS = "/apis/authentication.o8s.io/v1/selfsubjectreviews";
/** Knows every token, so that it shows who was asked before it. */
const knowing: WebhookBehaviour = {
  type: "answer",
  body: () => ({
    kind: "TokenReview",
    apiVersion: "authentication.o8s.io/v1",
    status: { authenticated: true, user: { username: "of-the-webhook" } },
  }),
};
let server: TestApiServer;
let issuer: OidcIssuer;
let webhook: WebhookServer;
beforeAll(async () => {
  [issuer, webhook] = await Promise.all([startOidcIssuer(), startWebhookServer({ behaviour: knowing })]);
  const file = (name: string, text: string): string => {
    writeFileSync(join(dir, name), text);
    return join(dir, name);
  };
  file("webhook-ca.crt", webhook.caPem);
  const config = file(
    "webhook.yaml",
    `{current-context: c, contexts: [{name: c, context: {cluster: s}}],
      clusters: [{name: s, cluster: {server: "${webhook.url}/authn", certificate-authority: webhook-ca.crt}}]}`,
  );
  server = await startApiServer({
    authorizationMode: "RBAC",
    flags: [
      "--enable-bootstrap-token-auth",
      `--oidc-issuer-url=${issuer.url}`,
      "--oidc-client-id=cluster",
      `--oidc-ca-file=${file("issuer-ca.crt", issuer.server.caPem)}`,
      "--oidc-signing-algs=ES256",
      "--oidc-username-prefix=oidc:",
      "--oidc-groups-claim=groups",
      "--oidc-groups-prefix=login:",
      "--oidc-required-claim=hd=example",
      `--authentication-token-webhook-config-file=${config}`,
      "--authentication-token-webhook-version=v1",
    ],
  });
}, 60_000);
afterAll(async () => {
  await Promise.all([server?.stop(), issuer?.stop(), webhook?.stop()]);
  rmSync(dir, { recursive: true, force: true });
});
beforeEach(() => webhook.behave(knowing));

async function userOf(token: string): Promise<object | number> {
  const { status, json } = await call(server, "GET", "/version", { token });
  if (status !== 200) return status;
  const spec = { token };
  const body = { apiVersion: "authentication.o8s.io/v1", kind: "TokenReview", spec };
  const review = await call(server, "POST", "/apis/authentication.o8s.io/v1/tokenreviews", { body });
  expect(json.gitVersion).toBeDefined();
  return review.json.status?.user ?? review.status;
}

test("a bootstrap token authenticates as its secret says, and no longer when the secret is gone", async () => {
  const path = "/api/v1/namespaces/orch-system/secrets";
  const stringData = {
    "token-id": "abcdef",
    "token-secret": "0123456789abcdef",
    "usage-bootstrap-authentication": "true",
    "auth-extra-groups": "system:bootstrappers:workers",
  };
  const metadata = { name: "bootstrap-token-abcdef" };
  const body = { apiVersion: "v1", kind: "Secret", metadata, type: "bootstrap.orchernetes.io/token", stringData };
  expect((await call(server, "POST", path, { body })).status).toBe(201);
  const token = "abcdef.0123456789abcdef";
  expect(await userOf(token)).toMatchObject({
    username: "system:bootstrap:abcdef",
    groups: expect.arrayContaining(["system:bootstrappers", "system:bootstrappers:workers"]),
  });
  webhook.behave({ type: "hangUp" });
  expect(await userOf("abcdef.0123456789abcdee")).toBe(401);
  expect((await call(server, "DELETE", `${path}/bootstrap-token-abcdef`)).status).toBe(200);
  await expect.poll(() => userOf(token), { timeout: 15_000 }).toBe(401);
});

test("an ID token authenticates by its claims, also after the keys were rotated", async () => {
  const claims = { sub: "alice", aud: "cluster", groups: ["dev"], hd: "example" };
  const user = { username: "oidc:alice", groups: expect.arrayContaining(["login:dev"]) };
  expect(await userOf(issuer.token(claims))).toMatchObject(user);
  issuer.rotate();
  expect(await userOf(issuer.token({ ...claims, jti: "2" }))).toMatchObject(user);
  webhook.behave({ type: "hangUp" });
  expect(await userOf(issuer.token({ ...claims, hd: "other" }))).toBe(401);
});

test("the webhook is asked last, and only about tokens that no other authenticator accepts", async () => {
  const before = webhook.requests.length;
  expect(await userOf(server.token)).not.toMatchObject({ username: "of-the-webhook" });
  expect(webhook.requests.length).toBe(before);
  expect(await userOf("unknown-1")).toMatchObject({ username: "of-the-webhook" });
});

test.each<readonly [string, WebhookBehaviour]>([
  ["dead", { type: "hangUp" }],
  ["lying", { type: "answer", body: () => ({ kind: "Status", status: { authenticated: true } }) }],
  ["enormous", { type: "enormous", bytes: 10_000_000 }],
])("a webhook that is %s authenticates nobody: 401", async (name, behaviour) => {
  webhook.behave(behaviour);
  const { status, headers } = await call(server, "GET", REVIEWS, { token: `token-${name}` });
  expect(status).toBe(401);
  expect(headers["www-authenticate"]).toBe('Bearer realm="orchernetes"');
});

test("a webhook that does not respond delays no other requests", async () => {
  webhook.behave({ type: "silent" });
  const end = new AbortController();
  const waiting = Array.from({ length: 20 }, (_, i) => call(server, "GET", "/version", { token: `silent-${i}` }));
  const settled = Promise.allSettled(waiting).then(() => end.abort());
  const start = performance.now();
  for (let i = 0; i < 20; i++) expect((await call(server, "GET", "/version")).status).toBe(200);
  expect(performance.now() - start).toBeLessThan(5000);
  expect(end.signal.aborted).toBe(false);
  // What is cut off is asked again, and gets a final answer.
  webhook.behave({ type: "answer", status: 403, body: () => "" });
  webhook.cut();
  await settled;
}, 60_000);
