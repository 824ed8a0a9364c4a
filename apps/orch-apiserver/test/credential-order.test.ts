import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type OidcIssuer,
  startApiServer,
  startOidcIssuer,
  startWebhookServer,
  type TestApiServer,
  type WebhookBehaviour,
  type WebhookRequest,
  type WebhookServer,
} from "@orchernetes/testkit";
import { createCertificateAuthority, issueClientCertificate } from "@orchernetes/tls";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type CallOptions, call, type Json } from "./support.ts";

/** One server with every way to show who one is, two authorizers, and records of all that it decides. */
let server: TestApiServer;
let issuer: OidcIssuer;
let webhook: WebhookServer;
const dir = mkdtempSync(join(tmpdir(), "credential-order-"));
const log = join(dir, "audit.log");
const [clients, proxies, strangers] = await Promise.all(
  ["clients", "proxies", "strangers"].map((commonName) => createCertificateAuthority({ commonName })),
);
if (!clients || !proxies || !strangers) throw new Error("no authorities");
const [carol, front, otherProxy, stranger] = await Promise.all([
  issueClientCertificate(clients, { commonName: "carol" }),
  issueClientCertificate(proxies, { commonName: "front" }),
  issueClientCertificate(proxies, { commonName: "not-front" }),
  issueClientCertificate(strangers, { commonName: "mallory" }),
]);

/** Knows tokens that begin with `hook-`, allows users named `webhook-yes`, denies `webhook-no`, has no opinion on others. */
function decide({ path, body }: WebhookRequest): unknown {
  const { apiVersion, kind, spec } = body as Json;
  if (path === "/authn") {
    const known = String(spec?.token).startsWith("hook-");
    return { apiVersion, kind, status: known ? { authenticated: true, user: { username: "of-the-webhook" } } : {} };
  }
  const user = String(spec?.user);
  const status =
    user === "webhook-yes"
      ? { allowed: true, reason: "it may" }
      : user === "webhook-no"
        ? { allowed: false, denied: true, reason: "it must not" }
        : { allowed: false, reason: "never heard of it" };
  return { apiVersion, kind, status };
}
const truthful: WebhookBehaviour = { type: "answer", body: decide };

function file(name: string, text: string): string {
  writeFileSync(join(dir, name), text, { mode: 0o600 });
  return join(dir, name);
}
const clientConfig = (path: string): string =>
  file(
    `${path}.yaml`,
    `{current-context: c, contexts: [{name: c, context: {cluster: s}}],
      clusters: [{name: s, cluster: {server: "${webhook.url}/${path}", certificate-authority: webhook-ca.crt}}]}`,
  );
const abac = (spec: object): string =>
  JSON.stringify({ apiVersion: "abac.authorization.orchernetes.io/v1beta1", kind: "Policy", spec });

beforeAll(async () => {
  [issuer, webhook] = await Promise.all([startOidcIssuer(), startWebhookServer({ behaviour: truthful })]);
  file("webhook-ca.crt", webhook.caPem);
  const policies = [
    abac({ group: "system:authenticated", readonly: true, nonResourcePath: "*" }),
    // The probes of whoever started the server.
    abac({ group: "system:unauthenticated", readonly: true, nonResourcePath: "/readyz" }),
    abac({ user: "abac-reader", readonly: true, namespace: "*", resource: "configmaps", apiGroup: "*" }),
  ];
  server = await startApiServer({
    authorizationMode: "ABAC,Webhook",
    flags: [
      `--client-ca-file=${file("clients.pem", clients.certPem)}`,
      `--requestheader-client-ca-file=${file("proxies.pem", proxies.certPem)}`,
      "--requestheader-allowed-names=front",
      "--requestheader-username-headers=X-Remote-User",
      "--requestheader-group-headers=X-Remote-Group",
      "--requestheader-extra-headers-prefix=X-Remote-Extra-",
      "--enable-bootstrap-token-auth",
      `--oidc-issuer-url=${issuer.url}`,
      "--oidc-client-id=cluster",
      `--oidc-ca-file=${file("issuer-ca.crt", issuer.server.caPem)}`,
      "--oidc-signing-algs=ES256",
      "--oidc-username-prefix=-",
      `--authentication-token-webhook-config-file=${clientConfig("authn")}`,
      "--authentication-token-webhook-version=v1",
      `--authorization-policy-file=${file("abac.jsonl", policies.join("\n"))}`,
      `--authorization-webhook-config-file=${clientConfig("authz")}`,
      "--authorization-webhook-version=v1",
      `--audit-policy-file=${file("policy.json", JSON.stringify({ apiVersion: "audit.o8s.io/v1", kind: "Policy", rules: [{ level: "Metadata" }] }))}`,
      `--audit-log-path=${log}`,
      "-v=10",
    ],
  });
}, 60_000);
afterAll(async () => {
  await Promise.all([server?.stop(), issuer?.stop(), webhook?.stop()]);
  rmSync(dir, { recursive: true, force: true });
});
beforeEach(() => webhook.behave(truthful));

let asked = 0;
/** Sends a request, and gives the status of the answer and the last record. */
async function ask(
  options: CallOptions,
  path = "/version",
): Promise<{ readonly status: number; readonly event: Json }> {
  const id = `asked-${++asked}`;
  const { status, headers } = await call(server, "GET", path, {
    token: null,
    ...options,
    headers: { ...options.headers, "audit-id": id },
  });
  expect(headers["www-authenticate"]).toBe(status === 401 ? 'Bearer realm="orchernetes"' : undefined);
  const events = readFileSync(log, "utf8")
    .split("\n")
    .flatMap((line) => (line.includes(`"auditID":"${id}"`) ? [JSON.parse(line) as Json] : []));
  const event = events.at(-1);
  if (event === undefined) throw new Error(`no record of ${id}`);
  return { status, event };
}
const userOf = async (options: CallOptions): Promise<unknown> => {
  const { status, event } = await ask(options);
  return status === 401 ? 401 : event.user?.username;
};

const remote = (user: string, ...others: readonly string[]): Readonly<Record<string, string>> => ({
  "X-Remote-User": user,
  ...(others.length > 0 && { "X-Remote-Group": others.join(",") }),
});
const oidc = () => issuer.token({ sub: "oidc-user", aud: "cluster" });

test.each<readonly [string, () => CallOptions, unknown]>([
  ["a front proxy names the user", () => ({ certificate: front, headers: remote("bob") }), "bob"],
  ["it comes before a token", () => ({ certificate: front, headers: remote("bob"), token: server.token }), "bob"],
  ["one with another name is refused", () => ({ certificate: otherProxy, headers: remote("bob") }), 401],
  [
    "and its token counts, not the user that it names",
    () => ({ certificate: otherProxy, headers: remote("bob"), token: server.token }),
    "admin",
  ],
  ["other headers name nobody", () => ({ certificate: front, headers: { "X-Remote-Name": "bob" } }), 401],
  ["without a certificate a named user is nobody", () => ({ headers: remote("bob") }), "system:anonymous"],
  ["a client certificate names the user", () => ({ certificate: carol }), "carol"],
  ["it is no front proxy's", () => ({ certificate: carol, headers: remote("bob", "system:masters") }), "carol"],
  ["it comes before a token", () => ({ certificate: carol, token: server.token }), "carol"],
  ["and before one that is not valid", () => ({ certificate: carol, token: "nonsense" }), "carol"],
  ["a certificate of a stranger is refused", () => ({ certificate: stranger }), 401],
  ["and a token beside it counts", () => ({ certificate: stranger, token: server.token }), "admin"],
  ["an ID token", () => ({ token: oidc() }), "oidc-user"],
  ["a token that only the webhook knows", () => ({ token: "hook-1" }), "of-the-webhook"],
  ["a token that nobody knows", () => ({ token: "nonsense" }), 401],
  ["no credentials", () => ({}), "system:anonymous"],
  ["credentials of another kind", () => ({ headers: { authorization: "Basic YTpi" } }), "system:anonymous"],
  ["Bearer and nothing else", () => ({ headers: { authorization: "Bearer" } }), "system:anonymous"],
])("%s", async (_, options, want) => {
  if (want === "oidc-user")
    await expect.poll(() => server.log(100_000), { timeout: 10_000 }).toContain("issuer are known");
  expect(await userOf(options())).toBe(want);
});

test("tokens of service accounts and bootstrap tokens never reach the webhook", async () => {
  const accounts = "/api/v1/namespaces/default/serviceaccounts";
  await call(server, "POST", accounts, { body: { metadata: { name: "app" } } });
  const made = await call(server, "POST", `${accounts}/app/token`, {
    body: { apiVersion: "authentication.o8s.io/v1", kind: "TokenRequest", spec: {} },
  });
  const stringData = {
    "token-id": "abcdef",
    "token-secret": "0123456789abcdef",
    "usage-bootstrap-authentication": "true",
  };
  const metadata = { name: "bootstrap-token-abcdef" };
  const secret = { metadata, type: "bootstrap.orchernetes.io/token", stringData };
  await call(server, "POST", "/api/v1/namespaces/orch-system/secrets", { body: secret });
  const tokens = [String(made.json.status?.token), "abcdef.0123456789abcdef", oidc(), server.token];
  const users = [];
  for (const token of tokens) users.push(await userOf({ token }));
  expect(users).toEqual(["system:serviceaccount:default:app", "system:bootstrap:abcdef", "oidc-user", "admin"]);
  const seen = webhook.requests.map(({ body }) => (body as Json).spec?.token as unknown);
  expect(seen.filter((token) => tokens.includes(String(token)))).toEqual([]);
});

const configMaps = "/api/v1/namespaces/default/configmaps";
test.each<readonly [string, string, number, Readonly<Record<string, string>>]>([
  ["ABAC allows", "abac-reader", 200, { decision: "allow", reason: "" }],
  ["the webhook allows", "webhook-yes", 200, { decision: "allow", reason: "it may" }],
  ["the webhook denies", "webhook-no", 403, { decision: "forbid", reason: "it must not" }],
  ["nobody decides", "somebody", 403, { decision: "forbid", reason: "No policy matched.\nnever heard of it" }],
])("the audit event names who decided: %s", async (_, user, want, { decision, reason }) => {
  const { status, event } = await ask({ certificate: front, headers: remote(user) }, configMaps);
  expect(status).toBe(want);
  expect(event).toMatchObject({
    user: { username: user },
    responseStatus: { code: want },
    annotations: { "authorization.o8s.io/decision": decision, "authorization.o8s.io/reason": reason },
  });
});

test("an authorizer that fails leads to an error, and the audit event contains no decision", async () => {
  webhook.behave({ type: "answer", status: 400, body: () => "no" });
  const { status, event } = await ask({ certificate: front, headers: remote("unlucky") }, configMaps);
  expect(status).toBe(500);
  expect(event.annotations).toEqual({ "authorization.o8s.io/reason": "internal error" });
});

test("a client that is not authenticated has one audit event", async () => {
  const { event } = await ask({ token: "nonsense" });
  expect(event).toMatchObject({
    stage: "ResponseStarted",
    user: {},
    responseStatus: { metadata: {}, status: "Failure", message: "Unauthorized", reason: "Unauthorized", code: 401 },
  });
  expect(event.annotations).toBeUndefined();
});

test("every attempt, look-up and request to a webhook is counted, and the log contains no credentials", async () => {
  // Services may say in their answers what they were asked; reasons are logged.
  webhook.behave({ type: "answer", status: 400, body: ({ body }) => `no ${String((body as Json).spec?.token)}` });
  expect(await userOf({ token: "hook-that-is-quoted" })).toBe(401);
  const { text } = await call(server, "GET", "/metrics");
  for (const series of [
    'authentication_attempts{result="success"}',
    'authentication_attempts{result="error"}',
    'authentication_duration_seconds_count{result="success"}',
    'authenticated_user_requests{username="admin"}',
    'authentication_token_cache_request_total{status="miss"}',
    'authentication_token_cache_fetch_total{status="ok"}',
    'authentication_token_cache_fetch_total{status="error"}',
    'apiserver_delegated_authn_request_total{code="200"}',
    'apiserver_delegated_authn_request_total{code="400"}',
    'apiserver_delegated_authz_request_total{code="200"}',
    'apiserver_delegated_authz_request_duration_seconds_count{code="400"}',
    'apiserver_audit_level_total{level="Metadata"}',
    "apiserver_audit_event_total",
  ])
    expect(text, series).toMatch(new RegExp(`^${series.replaceAll(/[{}]/g, "\\$&")} [1-9]`, "m"));
  const written = server.log(1_000_000) + readFileSync(log, "utf8");
  expect(written).toContain("found status 400");
  const { length, [length - 1]: signature = "" } = oidc().split(".");
  for (const hidden of [server.token, "hook-1", "hook-that-is-quoted", "0123456789abcdef", "nonsense", signature])
    expect(written).not.toContain(hidden);
});
