import { poll, startApiServer, type TestApiServer } from "@orchernetes/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { call } from "./support.ts";

let server: TestApiServer;
beforeAll(async () => {
  server = await startApiServer({
    flags: [
      "--external-hostname=api.example.com:443",
      "-v=3",
      "--allow-metric-labels=apiserver_request_total,verb='GET,LIST'",
    ],
  });
}, 130_000);
afterAll(() => server?.stop());

test("--external-hostname is in the documents that lead clients to the server", async () => {
  const { json } = await call(server, "GET", "/api");
  expect(json.serverAddressByClientCIDRs).toEqual([{ clientCIDR: "0.0.0.0/0", serverAddress: "api.example.com:443" }]);
  const { json: document } = await call(server, "GET", "/.well-known/openid-configuration");
  expect(document.jwks_uri).toBe("https://api.example.com:443/openid/v1/jwks");
});

test("-v=3 writes a line for each request", async () => {
  await call(server, "GET", "/api/v1/namespaces/nowhere?pretty=1", {
    headers: { "user-agent": "someone", "audit-id": "an-audit-id" },
  });
  const line = await poll({ what: "the line of the request", timeoutMs: 10_000, intervalMs: 20 }, () =>
    Promise.resolve(
      server
        .log(2000)
        .split("\n")
        .find((text) => text.includes("an-audit-id")) ?? false,
    ),
  );
  expect(line).toMatch(
    /^I.* request-log\.ts:\d+\] HTTP verb="GET" URI="\/api\/v1\/namespaces\/nowhere\?pretty=1" latency="\d+ms" user="admin" userAgent="someone" audit-ID="an-audit-id" srcIP="127\.0\.0\.1" resp=404$/,
  );
});

test("--allow-metric-labels takes its values in quotes", async () => {
  await call(server, "GET", "/api/v1/namespaces");
  await call(server, "POST", "/api/v1/namespaces", { body: { metadata: { name: "Odd" } } });
  const { text } = await call(server, "GET", "/metrics");
  const verbs = [...text.matchAll(/^apiserver_request_total\{[^}]*verb="([^"]+)"/gm)].map(([, verb]) => verb);
  expect([...new Set(verbs)].sort()).toEqual(["GET", "LIST", "unexpected"]);
});

test("the probes list the work after the start by the names of the original", async () => {
  for (const probe of ["healthz", "livez", "readyz"]) {
    const { text } = await call(server, "GET", `/${probe}?verbose`);
    const hooks = [...text.matchAll(/^\[\+\]poststarthook\/(\S+) ok$/gm)].map(([, name]) => name);
    expect(hooks).toEqual(
      expect.arrayContaining([
        "generic-apiserver-start-informers",
        "start-orch-apiserver-admission-initializer",
        "priority-and-fairness-config-consumer",
        "priority-and-fairness-filter",
        "start-apiextensions-informers",
        "start-apiextensions-controllers",
        "crd-informer-synced",
        "storage-object-count-tracker-hook",
        "start-system-namespaces-controller",
        "bootstrap-controller",
        "rbac/bootstrap-roles",
        "scheduling/bootstrap-system-priority-classes",
        "priority-and-fairness-config-producer",
        "start-cluster-authentication-info-controller",
        "start-legacy-token-tracking-controller",
        "start-orch-aggregator-informers",
        "apiservice-registration-controller",
        "apiservice-status-available-controller",
        "orch-apiserver-autoregistration",
        "apiservice-openapi-controller",
        "apiservice-openapiv3-controller",
        "apiservice-discovery-controller",
        "start-orch-apiserver-identity-lease-controller",
        "start-orch-apiserver-identity-lease-garbage-collector",
      ]),
    );
  }
});

test.each([
  ["/readyz/poststarthook/rbac/bootstrap-roles", 200, "ok"],
  ["/livez/etcd", 200, "ok"],
  ["/healthz/ping", 200, "ok"],
  ["/readyz/shutdown", 200, "ok"],
  ["/livez/shutdown", 404, "404 page not found\n"],
  ["/readyz/no-such-check", 404, "404 page not found\n"],
])("GET %s answers %d", async (path, status, text) => {
  expect(await call(server, "GET", path)).toMatchObject({ status, text });
});

test("exclude= takes checks out, several at once, and says which there are none of", async () => {
  const { status, text } = await call(server, "GET", "/readyz?verbose&exclude=etcd&exclude=ping&exclude=nonsense");
  expect(status).toBe(200);
  expect(text).toMatch(/^\[\+\]ping excluded: ok\n/);
  expect(text).toContain("[+]etcd excluded: ok\n");
  expect(text).toContain('warn: some health checks cannot be excluded: no matches for "nonsense"\n');
  expect(text).toMatch(/healthz check passed\n$/);
});
