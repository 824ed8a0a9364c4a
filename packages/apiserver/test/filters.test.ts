import { connect } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import type { AdmissionPlugin, RequestHandler } from "../src/index.ts";
import { startServer, type TestServer } from "./harness.ts";

const toys = "/apis/toys.example.com/v1/namespaces/ns/toys";
let server: TestServer;
afterEach(() => server.stop());

describe("authentication and authorization", () => {
  test.each([
    ["Bearer wrong", "/apis/toys.example.com/v1/toys", 401, "Unauthorized"],
    [
      "",
      "/apis/toys.example.com/v1/toys",
      403,
      'toys.toys.example.com is forbidden: User "system:anonymous" cannot list resource "toys" in API group "toys.example.com" at the cluster scope',
    ],
    [
      "Bearer bob",
      `${toys}/x/status`,
      403,
      'toys.toys.example.com "x" is forbidden: User "bob" cannot get resource "toys/status" in API group "toys.example.com" in the namespace "ns"',
    ],
    ["Bearer bob", "/apis", 403, 'forbidden: User "bob" cannot get path "/apis"'],
    ["", "/version", 200, undefined],
  ])("%s GET %s", async (authorization, path, code, message) => {
    server = await startServer();
    const answer = await server.call("GET", path, undefined, { authorization });
    expect(answer.status).toBe(code);
    expect(answer.body.message).toBe(message);
    expect(answer.headers.get("cache-control")).toBe("no-cache, private");
    expect(answer.headers.get("audit-id")).toMatch(/^[0-9a-f-]{36}$/);
  });

  test("impersonation is authorized, and then the request acts as that user", async () => {
    server = await startServer();
    const as = { "impersonate-user": "carol", "impersonate-group": "devs" };
    const acted = await server.call("GET", toys, undefined, as);
    expect(acted.body.message).toContain('User "carol" cannot list');
    const refused = await server.call("GET", toys, undefined, { ...as, authorization: "Bearer bob" });
    expect(refused.body.message).toContain('User "bob" cannot impersonate resource "users"');
    expect((await server.call("GET", toys, undefined, { "impersonate-group": "x" })).status).toBe(400);
  });
});

describe("admission", () => {
  test("mutating plugins change objects, validating ones reject them, and warnings reach the client", async () => {
    const seen: string[] = [];
    const plugin: AdmissionPlugin = {
      name: "Labels",
      handles: () => true,
      admit: ({ operation, object, name }, { warn }) => {
        seen.push(`admit ${operation} ${name}`);
        if (object !== undefined) object.metadata.labels = { ...object.metadata.labels, seen: "yes" };
        warn(`saw "${name}"`);
      },
      validate: ({ operation, oldObject }) => {
        seen.push(`validate ${operation} ${oldObject?.metadata.name ?? ""}`);
      },
    };
    server = await startServer({ admission: [plugin] });
    const { body, headers } = await server.call("POST", toys, { metadata: { name: "a" } });
    expect(body.metadata.labels).toEqual({ seen: "yes" });
    expect(headers.get("warning")).toBe('299 - "saw \\"a\\""');
    await server.call("PUT", `${toys}/a`, body);
    await server.call("DELETE", `${toys}/a`);
    expect(seen).toEqual([
      "admit CREATE a",
      "validate CREATE ",
      "admit UPDATE a",
      "validate UPDATE a",
      "admit DELETE a",
      "validate DELETE a",
    ]);
  });
});

describe("limits", () => {
  const slow: RequestHandler = {
    verbs: ["create"],
    handle: ({ signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  };

  test("a request that takes too long gives 504", async () => {
    server = await startServer({
      handlers: { "toys.example.com/toys/echo": slow },
      limits: { requestTimeoutMs: 50 },
    });
    const { status, body } = await server.call("POST", `${toys}/x/echo`, { metadata: { name: "x" } });
    expect(status).toBe(504);
    expect(body).toMatchObject({
      reason: "Timeout",
      message: "Timeout: request did not complete within the allotted timeout",
    });
  });

  test.each([
    ["1ms", 60_000, 504],
    ["30ms", 0, 504],
    // No client has more time than the server gives.
    ["1h", 50, 504],
    ["0", 50, 504],
    ["", 50, 504],
    ["soon", 60_000, 400],
    ["5", 60_000, 400],
    ["-", 60_000, 400],
  ])("?timeout=%s of a server that gives %i ms: %i", async (timeout, requestTimeoutMs, code) => {
    server = await startServer({
      handlers: { "toys.example.com/toys/echo": slow },
      limits: { requestTimeoutMs, maxMutatingRequestsInflight: 1 },
    });
    const call = () => server.call("POST", `${toys}/x/echo?timeout=${timeout}`, { metadata: { name: "x" } });
    const { status, body } = await call();
    expect(status).toBe(code);
    if (code === 400)
      expect(body.message).toBe(
        `invalid timeout specified in the request URL - time: invalid duration "${timeout}"; want a duration such as 30s`,
      );
    // Its place among the requests in flight is free again.
    expect((await call()).status).toBe(code);
  });

  test.each([
    ["", 80],
    // What the client names counts instead.
    ["&timeoutSeconds=1", 1000],
    // ?timeout= is for requests that are not watches.
    ["&timeout=1ms", 80],
  ])("a watch with %j ends after the time of the server, or up to twice that", async (query, leastMs) => {
    server = await startServer({ limits: { requestTimeoutMs: 20, minRequestTimeoutSeconds: 0.08 } });
    const began = performance.now();
    const response = await fetch(`${server.url}${toys}?watch=1${query}`, {
      headers: { authorization: "Bearer admin" },
    });
    expect(await response.text()).toBe("");
    // Timers may be a little early.
    expect(performance.now() - began).toBeGreaterThanOrEqual(leastMs - 5);
  });

  test("requests beyond the limit give 429, except those of administrators", async () => {
    server = await startServer({
      handlers: { "toys.example.com/toys/echo": slow },
      limits: { requestTimeoutMs: 400, maxMutatingRequestsInflight: 1 },
      authorizers: [{ authorize: () => ({ type: "Allow" }) }],
    });
    const bob = { authorization: "Bearer bob" };
    const first = server.call("POST", `${toys}/x/echo`, { metadata: { name: "x" } }, bob);
    await new Promise((resolve) => setTimeout(resolve, 100));
    const second = await server.call("POST", toys, { metadata: { name: "y" } }, bob);
    expect(second.body).toMatchObject({ code: 429, message: "Too many requests, please try again later." });
    expect(second.headers.get("retry-after")).toBe("1");
    expect((await server.call("POST", toys, { metadata: { name: "z" } })).status).toBe(201);
    await first;
  });

  test("a draining server rejects requests and ends watches", async () => {
    server = await startServer({ shutdownSendRetryAfter: true });
    const watching = fetch(`${server.url}${toys}?watch=1`, { headers: { authorization: "Bearer admin" } });
    const response = await watching;
    await server.server.drain({ watchGraceMs: 1000 });
    expect(await response.text()).toBe("");
    const refused = await server.call("GET", toys);
    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).toBe("5");
    expect(refused.headers.get("connection")).toBe("close");
  });
});

describe("hostile input is a client error", () => {
  test.each([
    ["GET", "/apis/toys.example.com/v1/namespaces/ns/toys/%ff", undefined, 400],
    ["GET", "/apis/toys.example.com/v1/namespaces/ns/toys/a%2Fb", undefined, 400],
    ["GET", `/api/v1/${"a/".repeat(200)}`, undefined, 404],
    ["GET", `/apis/toys.example.com/v1/${"x".repeat(15_000)}`, undefined, 404],
    ["GET", "/apis/toys.example.com/v1/namespaces//toys", undefined, 404],
    ["GET", "/apis/toys.example.com/v1/__proto__/constructor", undefined, 404],
    ["POST", toys, "{", 400],
    ["POST", toys, "null", 400],
    ["POST", toys, "[]", 400],
    ["POST", toys, `{"metadata":${"[".repeat(100_000)}`, 400],
    ["POST", toys, `{"metadata":{"name":"x","labels":{"__proto__":1}}}`, 400],
    ["POST", toys, `{"metadata":null}`, 422],
    ["POST", toys, "x".repeat(3 * 1024 * 1024 + 1), 413],
    ["PATCH", `${toys}/x`, "{}", 415],
    ["PUT", toys, "{}", 405],
    ["DELETE", "/apis/toys.example.com/v1/boxes", undefined, 405],
    ["POST", "/apis/toys.example.com/v1/toys", "{}", 405],
  ])("%s %s", async (method, path, body, code) => {
    server = await startServer();
    const answer = await server.call(method, path, body);
    expect(answer.status).toBe(code);
    expect(answer.body).toMatchObject({ kind: "Status", status: "Failure", code });
  });

  test("a group with a very long name is an unknown path", async () => {
    server = await startServer();
    const answer = await server.call("GET", `/apis/${"x".repeat(15_000)}`);
    expect(answer.status).toBe(404);
    expect(answer.text).toBe("404 page not found\n");
  });

  test("an upgrade of a resource without upgrades is rejected", async () => {
    server = await startServer();
    const { port } = new URL(server.url);
    const text = await new Promise<string>((resolve) => {
      const socket = connect(Number(port), "127.0.0.1");
      let got = "";
      socket.on("data", (chunk) => (got += chunk));
      socket.on("close", () => resolve(got));
      socket.write(
        `GET ${toys}/x HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer admin\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
      );
    });
    expect(text).toMatch(/^HTTP\/1.1 400 /);
  });
});
