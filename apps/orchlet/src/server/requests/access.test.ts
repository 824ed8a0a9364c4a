import type { IncomingMessage } from "node:http";
import { PeerCertificates } from "@orchernetes/auth";
import { type Client, createClient } from "@orchernetes/client";
import { type FakeApiServer, startFakeApiServer } from "@orchernetes/client/testing";
import { createPlainServing, guard, type PlainServing, respond } from "@orchernetes/component";
import { orchletConfigurationSchema } from "@orchernetes/config";
import { FakeClock, type HttpRequest, silentLogger } from "@orchernetes/kernel";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { accessOptions, nodeAttributes } from "./access.ts";

const user = { name: "u", uid: "", groups: [], extra: {} };

test.each([
  ["GET", "/stats/summary", "get", "stats"],
  ["GET", "/stats", "get", "stats"],
  ["GET", "/statsother", "get", "proxy"],
  ["HEAD", "/metrics", "get", "metrics"],
  ["GET", "/metrics/cadvisor", "get", "metrics"],
  ["GET", "/logs/", "get", "log"],
  ["GET", "/l%6fgs/x", "get", "log"],
  ["GET", "/spec/", "get", "spec"],
  ["POST", "/checkpoint/a/b/c", "create", "checkpoint"],
  ["GET", "/exec/a/b/c", "create", "proxy"],
  ["POST", "/run/a/b/c", "create", "proxy"],
  ["GET", "/pods", "get", "proxy"],
  ["PUT", "/debug/flags/v", "update", "proxy"],
  ["GET", "/configz", "get", "proxy"],
  ["GET", "/healthz", "get", "proxy"],
])("%s %s is %s of nodes/%s", (method, url, verb, subresource) => {
  const request = { method, url, headers: {} } as IncomingMessage as HttpRequest;
  expect(nodeAttributes(request, user, "node-a")).toMatchObject({
    ...{ verb, subresource, resource: "nodes", name: "node-a", apiVersion: "v1", namespace: "", resourceRequest: true },
  });
});

let api: FakeApiServer;
let client: Client;
let serving: PlainServing;
const clock = new FakeClock("2023-06-01T00:00:00Z");
/** What the API server answers; undefined: an error. */
let allows: boolean | undefined = true;
const reviews = {
  "/apis/authentication.o8s.io/v1/tokenreviews": 0,
  "/apis/authorization.o8s.io/v1/subjectaccessreviews": 0,
};

beforeAll(async () => {
  api = await startFakeApiServer();
  api.hook = ({ path }) => {
    if (!(path in reviews)) return undefined;
    reviews[path as keyof typeof reviews] += 1;
    if (allows === undefined) return { status: 500, body: {} };
    const who = { username: "jane", groups: ["a"] };
    const status = path.includes("token") ? { authenticated: true, user: who } : { allowed: allows };
    return { status: 201, body: { apiVersion: "v1", kind: "Review", metadata: {}, spec: {}, status } };
  };
  client = createClient({ server: api.url });
  const settings = orchletConfigurationSchema.parse({
    apiVersion: "orchlet.config.o8s.io/v1beta1",
    kind: "OrchletConfiguration",
    authentication: { webhook: { enabled: true, cacheTTL: "1m" } },
    authorization: { mode: "Webhook", webhook: { cacheAuthorizedTTL: "2m", cacheUnauthorizedTTL: "10s" } },
  });
  const peers = new PeerCertificates(() => [], clock);
  const access = accessOptions({ settings, nodeName: "node-a", client, peers, logger: silentLogger, clock });
  serving = await createPlainServing(
    { bindAddress: "127.0.0.1", port: 0, logger: silentLogger },
    guard(access, (request, response) => respond(request, response, 200, {}, "ok")),
  );
});
afterAll(async () => {
  await serving.close();
  client.close();
  await api.close();
});
beforeEach(() => {
  allows = true;
  clock.advance(3_600_000);
  for (const path of Object.keys(reviews)) reviews[path as keyof typeof reviews] = 0;
});

const get = async (path: string, token = "t") =>
  (await fetch(`http://127.0.0.1:${serving.port}${path}`, { headers: { authorization: `Bearer ${token}` } })).status;
const counts = () => Object.values(reviews);

// shows: authentication.webhook.enabled, authentication.webhook.cacheTTL, authorization.mode, authorization.webhook.cacheAuthorizedTTL
test("the reviews of a token and of its permissions are cached for the configured times", async () => {
  for (let i = 0; i < 3; i++) expect(await get("/stats/summary")).toBe(200);
  expect(counts()).toEqual([1, 1]);
  expect(await get("/metrics")).toBe(200);
  expect(counts()).toEqual([1, 2]);
  clock.advance(61_000);
  expect(await get("/stats/summary")).toBe(200);
  expect(counts()).toEqual([2, 2]);
  clock.advance(60_000);
  expect(await get("/stats/summary")).toBe(200);
  expect(counts()).toEqual([3, 3]);
});

// shows: authorization.webhook.cacheUnauthorizedTTL
test("a denied decision is cached for a shorter time", async () => {
  allows = false;
  expect([await get("/logs/"), await get("/logs/")]).toEqual([403, 403]);
  expect(counts()).toEqual([1, 1]);
  clock.advance(11_000);
  allows = true;
  expect(await get("/logs/")).toBe(200);
  expect(counts()).toEqual([1, 2]);
});

test("if a review gets no response, nothing is served, and the next request sends it again", async () => {
  allows = undefined;
  expect(await get("/logs/", "other")).toBeGreaterThanOrEqual(401);
  allows = true;
  expect(await get("/logs/", "other")).toBe(200);
});

// shows: authentication.anonymous.enabled
test("requests without credentials are rejected", async () => {
  expect((await fetch(`http://127.0.0.1:${serving.port}/pods`)).status).toBe(401);
});
