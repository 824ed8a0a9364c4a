import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { ClientConfigError } from "@orchernetes/client";
import { systemClock } from "@orchernetes/kernel";
import { startWebhookServer, type WebhookBehaviour, type WebhookServer } from "@orchernetes/testkit";
import { createCertificateAuthority, issueClientCertificate } from "@orchernetes/tls";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { endpointOfConfigFile } from "./endpoint-of-config-file.ts";
import { createReviewClient, type ReviewClientOptions, type ReviewRetry } from "./review-client.ts";

const clientCa = await createCertificateAuthority({ commonName: "clients" });
const own = await issueClientCertificate(clientCa, { commonName: "orch-apiserver" });
const echo: WebhookBehaviour = { type: "answer", body: ({ body }) => ({ echo: body }) };
const quick: ReviewRetry = { attempts: 5, initialMs: 1, factor: 1.5, jitter: 0.2 };

let service: WebhookServer;
let end: AbortController;
beforeAll(async () => {
  service = await startWebhookServer({ behaviour: echo, clientCaPem: clientCa.certPem });
});
afterAll(() => service.stop());
beforeEach(() => {
  service.behave(echo);
  end = new AbortController();
});
afterEach(() => end.abort());

const clientOf = (options: Partial<ReviewClientOptions> = {}) =>
  createReviewClient({
    endpoint: `${service.url}/review`,
    caBundle: service.caPem,
    timeoutMs: 5000,
    clock: systemClock,
    signal: end.signal,
    ...options,
  });

describe("an answer", () => {
  test("is returned as JSON; connections are reused", async () => {
    const client = clientOf({ clientCertificate: own, token: () => "secret" });
    const before = service.accepted;
    for (let i = 0; i < 5; i++) expect(await client.post("", { i })).toEqual({ echo: { i } });
    expect(service.accepted - before).toBe(1);
    expect(service.requests.at(-1)).toMatchObject({
      method: "POST",
      path: "/review",
      clientName: "orch-apiserver",
      headers: { authorization: "Bearer secret", "content-type": "application/json" },
    });
    await client.post("/more", {});
    expect(service.requests.at(-1)?.path).toBe("/review/more");
  });

  test("comes over a new connection after the service has closed the kept one", async () => {
    const client = clientOf();
    for (let i = 0; i < 3; i++) {
      expect(await client.post("", i)).toEqual({ echo: i });
      service.cut();
    }
  });

  test("is found at the address of a service, with a certificate for the endpoint's name", async () => {
    const named = await startWebhookServer({ behaviour: echo, hosts: ["review.default.svc"] });
    const client = clientOf({
      endpoint: "https://review.default.svc/x",
      caBundle: named.caPem,
      address: async () => ({ host: "127.0.0.1", port: named.port }),
    });
    expect(await client.post("", { a: 1 })).toEqual({ echo: { a: 1 } });
    expect(named.requests[0]?.headers.host).toBe("review.default.svc");
    await named.stop();
  });
});

describe("a service without a usable answer", () => {
  const rows: readonly (readonly [string, WebhookBehaviour, object])[] = [
    ["silent", { type: "silent" }, { failure: "timeout", message: expect.stringContaining("no answer within 200 ms") }],
    ["dripping", { type: "drip", everyMs: 5 }, { failure: "timeout" }],
    ["enormous", { type: "enormous", bytes: 50_000_000 }, { failure: "tooLarge", status: 200 }],
    [
      "not JSON",
      { type: "answer", body: () => "<html>" },
      { failure: "malformed", message: expect.stringContaining("<html>") },
    ],
    ["failing", { type: "answer", status: 503, body: () => "busy" }, { failure: "status", status: 503 }],
    ["redirecting", { type: "answer", status: 302, body: () => "", headers: { location: "/" } }, { failure: "status" }],
    ["hanging up", { type: "hangUp" }, { failure: "reset" }],
  ];
  test.each(rows)("%s: the error says so", async (_, behaviour, error) => {
    service.behave(behaviour);
    const timeoutMs = "failure" in error && error.failure === "timeout" ? 200 : 5000;
    await expect(clientOf({ timeoutMs }).post("", {})).rejects.toMatchObject(error);
  });

  test("whose certificate is of another authority, or for another name, is not sent anything", async () => {
    const before = service.requests.length;
    const foreign = clientOf({ caBundle: clientCa.certPem });
    await expect(foreign.post("", {})).rejects.toMatchObject({ failure: "connection" });
    const misnamed = clientOf({ tls: () => ({ serverName: "other.example" }) });
    await expect(misnamed.post("", {})).rejects.toThrow("other.example");
    expect(service.requests.length).toBe(before);
  });

  test("that takes no connection is reported at once", async () => {
    const gone = await startWebhookServer({ behaviour: echo });
    await gone.stop();
    await expect(clientOf({ endpoint: gone.url, retry: quick }).post("", {})).rejects.toThrow("ECONNREFUSED");
  });

  test("holds its own requests only", async () => {
    const other = await startWebhookServer({ behaviour: echo });
    service.behave({ type: "silent" });
    const waiting = Array.from({ length: 100 }, () =>
      clientOf({ timeoutMs: 300 })
        .post("", {})
        .catch(() => "late"),
    );
    expect(await clientOf({ endpoint: other.url, caBundle: other.caPem }).post("", { a: 1 })).toEqual({
      echo: { a: 1 },
    });
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(["late"]));
    await other.stop();
  });
});

describe("retries", () => {
  test.each([
    ["500", { status: 500 }, 5],
    ["429", { status: 429 }, 5],
    ["502", { status: 502 }, 5],
    ["403 with Retry-After", { status: 403, headers: { "retry-after": "0" } }, 5],
    // Ten times because the service asks for it, and then by the rule of the client.
    ["503 with Retry-After", { status: 503, headers: { "retry-after": "0" } }, 15],
    ["503 with a date", { status: 503, headers: { "retry-after": "Fri, 31 Dec 1999 23:59:59 GMT" } }, 1],
    ["403", { status: 403 }, 1],
    ["503", { status: 503 }, 1],
  ])("%s is asked %j: %i times", async (_, answer, times) => {
    const statuses: number[] = [];
    service.behave({ type: "answer", body: () => "no", ...answer });
    const client = clientOf({ retry: quick, onAttempt: (status) => statuses.push(status) });
    await expect(client.post("", {})).rejects.toMatchObject({ status: answer.status });
    expect(statuses).toEqual(Array(times).fill(answer.status));
  });

  test("come after the delay that the service asks for, also from clients that try once", async () => {
    const slept: number[] = [];
    const clock = { ...systemClock, sleep: async (ms: number) => void slept.push(ms) };
    service.behave({ type: "answer", status: 429, headers: { "retry-after": "7" }, body: () => "" });
    await expect(clientOf({ clock }).post("", {})).rejects.toMatchObject({ status: 429 });
    expect(slept).toEqual(Array(10).fill(7000));
    slept.length = 0;
    service.behave({ type: "answer", status: 429, headers: { "retry-after": "100000" }, body: () => "" });
    await expect(clientOf({ clock }).post("", {})).rejects.toMatchObject({ status: 429 });
    expect(slept[0]).toBe(60_000);
  });

  test("a delay that is longer than the time of the review ends with it", async () => {
    service.behave({ type: "answer", status: 429, headers: { "retry-after": "30" }, body: () => "" });
    await expect(clientOf({ timeoutMs: 100 }).post("", {})).rejects.toMatchObject({ failure: "timeout" });
  });

  test("end with the first answer", async () => {
    let asked = 0;
    const passing = async () => (++asked < 3 ? Promise.reject(new Error("not yet")) : { asked });
    service.behave({ type: "answer", body: passing });
    expect(await clientOf({ retry: quick }).post("", {})).toEqual({ asked: 3 });
  });

  test("end with the caller, whose reason is the error", async () => {
    service.behave({ type: "answer", status: 500, body: () => "" });
    const caller = new AbortController();
    const client = clientOf({
      retry: { ...quick, initialMs: 60_000 },
      onAttempt: () => caller.abort(new Error("gone")),
    });
    await expect(client.post("", {}, { signal: caller.signal })).rejects.toThrow("gone");
  });
});

describe("redirects", () => {
  const leading = (status: number, location: string): WebhookBehaviour => ({
    type: "answer",
    status,
    headers: { location },
    body: () => "",
  });

  test.each([307, 308])("a %i within the service is followed, with the review and the credentials", async (status) => {
    const moved: WebhookBehaviour = {
      type: "redirect",
      from: "/review",
      status,
      location: "/moved?to=1",
      body: ({ body }) => ({ echo: body }),
    };
    service.behave(moved);
    expect(await clientOf({ token: "secret" }).post("", { a: 1 })).toEqual({ echo: { a: 1 } });
    expect(service.requests.at(-1)).toMatchObject({
      method: "POST",
      path: "/moved?to=1",
      headers: { authorization: "Bearer secret" },
    });
  });

  test("to other servers are not followed", async () => {
    const other = await startWebhookServer({ behaviour: echo });
    for (const location of [other.url, `http://127.0.0.1:${service.port}/`, "//example.com/", "file:///etc/passwd"]) {
      service.behave(leading(307, location));
      const message = expect.stringContaining(`accepted is one to ${service.url}`);
      await expect(clientOf({ token: "secret" }).post("", {})).rejects.toMatchObject({ failure: "redirect", message });
    }
    expect(other.accepted).toBe(0);
    await other.stop();
  });

  test("of other kinds are answers without a review, as they lead to a GET", async () => {
    for (const status of [301, 302, 303]) {
      service.behave(leading(status, "/other"));
      const before = service.requests.length;
      await expect(clientOf().post("", {})).rejects.toMatchObject({ failure: "status", status });
      expect(service.requests.length).toBe(before + 1);
    }
  });

  test("without end are ended", async () => {
    service.behave(leading(308, "/review"));
    const before = service.requests.length;
    const message = expect.stringContaining("stopped after 10 redirects");
    await expect(clientOf().post("", {})).rejects.toMatchObject({ failure: "redirect", message });
    expect(service.requests.length - before).toBe(11);
  });
});

describe("a client configuration file", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "review-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  test("says where the service is and who asks", async () => {
    const file = path.join(folder, "webhook.yaml");
    await writeFile(path.join(folder, "ca.crt"), service.caPem);
    await writeFile(
      file,
      `{current-context: c, contexts: [{name: c, context: {cluster: s, user: u}}],
        clusters: [{name: s, cluster: {server: "${service.url}/hook?x=1", certificate-authority: ca.crt}}],
        users: [{name: u, user: {token: abc}}]}`,
    );
    const client = createReviewClient({
      ...endpointOfConfigFile(file),
      timeoutMs: 5000,
      clock: systemClock,
      signal: end.signal,
    });
    expect(await client.post("", 1)).toEqual({ echo: 1 });
    expect(service.requests.at(-1)).toMatchObject({ path: "/hook?x=1", headers: { authorization: "Bearer abc" } });
  });

  test("with errors is refused with all of them", () => {
    expect(() => endpointOfConfigFile(path.join(folder, "none"))).toThrow(ClientConfigError);
  });
});
