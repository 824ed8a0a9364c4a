import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:http2";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { poll, startApiServer, type TestApiServer } from "@orchernetes/testkit";
import {
  type CertificateAuthority,
  createCertificateAuthority,
  issueClientCertificate,
  issueServerCertificate,
} from "@orchernetes/tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Answer, call } from "../support.ts";
import { base, type ExtensionServer, group, startExtensionServer } from "./extension-server.ts";

const apiServices = "/apis/apiregistration.o8s.io/v1/apiservices";
const aggregated = "application/json;g=apidiscovery.o8s.io;v=v2beta1;as=APIGroupDiscoveryList";
const within = { timeout: 30_000, interval: 50 };
const dir = mkdtempSync(join(tmpdir(), "o8s-aggregation-"));
const certFile = join(dir, "proxy.crt");
const keyFile = join(dir, "proxy.key");
const proxyCaFile = join(dir, "proxy-ca.crt");
const auditPolicyFile = join(dir, "policy.json");
const auditLog = join(dir, "audit.log");
const auditPolicy = {
  apiVersion: "audit.o8s.io/v1",
  kind: "Policy",
  rules: [{ level: "RequestResponse", resources: [{ group }] }],
};
let server: TestApiServer;
let extension: ExtensionServer;
let servingCa: CertificateAuthority;
let proxyCa: CertificateAuthority;

async function writeProxyClient(commonName: string): Promise<void> {
  const pair = await issueClientCertificate(proxyCa, { commonName });
  writeFileSync(keyFile, pair.keyPem);
  writeFileSync(certFile, pair.certPem);
}

const base64 = (pem: string): string => Buffer.from(pem).toString("base64");

function apiService(name: string, more: object): object {
  const [version, ...rest] = name.split(".");
  const service = { namespace: "default", name: "ext", port: extension.port };
  const spec = { group: rest.join("."), version, groupPriorityMinimum: 1500, versionPriority: 20, service, ...more };
  return { metadata: { name }, spec };
}

const register = (name: string, more: object): Promise<Answer> =>
  call(server, "POST", apiServices, { body: apiService(name, more) });

const availability = async (name: string): Promise<string> => {
  const { json } = await call(server, "GET", `${apiServices}/${name}`);
  const conditions = json?.status?.conditions as unknown as readonly { readonly status: string; reason: string }[];
  return `${conditions?.[0]?.status} ${conditions?.[0]?.reason}`;
};

beforeAll(async () => {
  servingCa = await createCertificateAuthority({ commonName: "serving" });
  proxyCa = await createCertificateAuthority({ commonName: "front-proxy" });
  const serving = await issueServerCertificate(servingCa, { commonName: "ext", hosts: ["ext.default.svc"] });
  await writeProxyClient("proxy-one");
  writeFileSync(proxyCaFile, proxyCa.certPem);
  writeFileSync(auditPolicyFile, JSON.stringify(auditPolicy));
  extension = await startExtensionServer(serving, proxyCa.certPem);
  server = await startApiServer({
    flags: [
      `--proxy-client-cert-file=${certFile}`,
      `--proxy-client-key-file=${keyFile}`,
      `--requestheader-client-ca-file=${proxyCaFile}`,
      "--requestheader-username-headers=X-Remote-User,X-Custom-User",
      "--requestheader-group-headers=X-Remote-Group",
      "--request-timeout=3s",
      `--audit-policy-file=${auditPolicyFile}`,
      `--audit-log-path=${auditLog}`,
    ],
  });
  const spec = { type: "ExternalName", externalName: "127.0.0.1" };
  await call(server, "POST", "/api/v1/namespaces/default/services", { body: { metadata: { name: "ext" }, spec } });
  await register(`v1.${group}`, { caBundle: base64(servingCa.certPem) });
  const name = `v1.${group}`;
  const isPassed = async () => (await availability(name)) === "True Passed";
  await poll({ what: `${name} to be available`, timeoutMs: 30_000, intervalMs: 50 }, isPassed);
});

afterAll(async () => {
  await server.stop();
  await extension.stop();
  rmSync(dir, { recursive: true });
});

describe("a request for a group of another server", () => {
  const lastSeen = () => extension.seen.at(-1);

  test("is rejected, and not as the other server's error, if it comes in a circle", async () => {
    const headers = { "x-forwarded-for": Array(10).fill("10.0.0.1").join(", ") };
    const { status, json } = await call(server, "GET", `${base}/namespaces/default/widgets`, { headers });
    expect([status, json.reason]).toEqual([400, "BadRequest"]);
  });

  test("goes there with the identity that this server found", async () => {
    const path = `${base}/namespaces/default/widgets?limit=5&fieldSelector=a%3Db`;
    const { status, json, headers } = await call(server, "GET", path, {
      headers: {
        "x-remote-user": "root",
        "x-remote-group": "system:masters",
        "x-remote-extra-scopes": "all",
        "x-custom-user": "root",
        "x-kept": "1",
        "audit-id": "0123-abc",
        connection: "close, x-dropped",
        "x-dropped": "1",
      },
    });
    expect(status).toBe(200);
    expect(lastSeen()).toMatchObject({ method: "GET", url: path, client: "proxy-one" });
    const seen = (json?.headers ?? {}) as unknown as Record<string, string>;
    expect(seen).toMatchObject({
      "x-remote-user": "admin",
      "x-remote-group": "system:masters, system:authenticated",
      "x-kept": "1",
      "audit-id": "0123-abc",
      "x-forwarded-for": "127.0.0.1",
      host: `127.0.0.1:${extension.port}`,
    });
    for (const name of ["authorization", "x-custom-user", "x-remote-extra-scopes", "x-dropped"])
      expect(seen[name]).toBeUndefined();
    expect(headers).toMatchObject({ "x-own": "yes", "audit-id": "0123-abc" });
    expect(headers["x-hop"]).toBeUndefined();
  });

  test.each([
    [
      "as whom the client acts",
      {
        "impersonate-user": Buffer.from("jané").toString("latin1"),
        "impersonate-group": "dev",
        "impersonate-extra-a%2fb": "c",
      },
    ],
  ])("tells %s", async (_, headers) => {
    const { json } = await call(server, "GET", `${base}/widgets`, { headers });
    const seen = json?.headers as unknown as Record<string, string>;
    expect(Buffer.from(seen["x-remote-user"] ?? "", "latin1").toString()).toBe("jané");
    expect(seen["x-remote-group"]).toBe("dev, system:authenticated");
    expect(seen["x-remote-extra-a%2fb"]).toBe("c");
    expect(Object.keys(seen).filter((name) => name.startsWith("impersonate"))).toEqual([]);
  });

  test.each(["POST", "PUT", "PATCH", "DELETE", "GET"])("%s brings its body, and only that", async (method) => {
    const before = extension.seen.length;
    const body = `{"n":"${"x".repeat(70_000)}"}`;
    const raw = method === "GET" ? "GET / HTTP/1.1\r\nx-remote-user: root\r\n\r\n" : body;
    const headers = { "content-length": String(raw.length) };
    const { status, json } = await call(server, method, `${base}/widgets/a`, { raw, headers });
    expect({ status, body: json?.body }).toEqual({ status: 200, body: raw });
    expect(extension.seen.length).toBe(before + 1);
  });

  test("may come over HTTP/2, with a body of unknown length and events without end", async () => {
    const session = connect(server.url, { ca: readFileSync(server.caFile) });
    const authorization = `Bearer ${server.token}`;
    const posted = session.request({ ":path": `${base}/widgets/b`, ":method": "POST", authorization });
    posted.write("half ");
    posted.end("and half");
    const [head] = await once(posted, "response");
    expect(head).toMatchObject({ ":status": 200, "x-own": "yes" });
    let text = "";
    for await (const chunk of posted) text += chunk;
    expect(JSON.parse(text)).toMatchObject({ body: "half and half", client: "proxy-one" });
    const watch = session.request({ ":path": `${base}/widgets?watch=true`, authorization });
    watch.on("error", () => undefined);
    expect(String((await once(watch, "data"))[0])).toContain('"n":1');
    session.destroy();
    await expect.poll(() => extension.streams(), within).toBe(0);
  });

  test("is answered with the other server's status", async () => {
    expect((await call(server, "GET", `${base}/widgets/teapot`)).status).toBe(418);
  });

  test("needs authentication here", async () => {
    const before = extension.seen.length;
    expect((await call(server, "GET", `${base}/widgets`, { token: "wrong" })).status).toBe(401);
    expect(extension.seen.length).toBe(before);
  });

  test("streams events as they come, until the client leaves", async () => {
    const streamed = request(`${server.url}${base}/widgets?watch=true`, {
      ca: readFileSync(server.caFile),
      agent: false,
      headers: { authorization: `Bearer ${server.token}` },
    });
    streamed.on("error", () => undefined);
    streamed.end();
    const [response] = await once(streamed, "response");
    let text = "";
    response.on("error", () => undefined);
    response.on("data", (chunk: Buffer) => {
      text += chunk;
    });
    await expect
      .poll(() => text, within)
      .toBe('{"type":"ADDED","object":{"n":1}}\n{"type":"ADDED","object":{"n":2}}\n');
    expect(extension.streams()).toBe(1);
    streamed.destroy();
    await expect.poll(() => extension.streams(), within).toBe(0);
  });
});

describe("a server that misbehaves", () => {
  test.each([
    ["redirects", "redirect", 502, "the backend attempted to redirect this request, which is not permitted\n"],
    ["sends a head without end", "huge", 503, /^error trying to reach service: .*[Hh]eader/],
    ["never answers", "hang", 504, /did not complete within the allotted timeout/],
  ])("%s", async (_, what, status, text) => {
    const answer = await call(server, "GET", `${base}/widgets/${what}`);
    expect(answer.status).toBe(status);
    expect(answer.text).toMatch(text);
  });

  test("breaks off in the middle: so does the answer", async () => {
    await expect(call(server, "GET", `${base}/widgets/cut`)).rejects.toThrow(/aborted|hang up|reset/);
    expect((await call(server, "GET", `${base}/widgets`)).status).toBe(200);
  });

  test("has a certificate that the bundle does not vouch for", async () => {
    const other = await createCertificateAuthority({ commonName: "other" });
    await register("v1.wrong.example.com", { caBundle: base64(other.certPem) });
    const ask = () => call(server, "GET", "/apis/wrong.example.com/v1/things");
    await expect.poll(async () => (await ask()).text, within).toMatch(/^error trying to reach service: .*certificate/);
    expect((await ask()).status).toBe(503);
    await call(server, "DELETE", `${apiServices}/v1.wrong.example.com`);
    await expect.poll(async () => (await ask()).status, within).toBe(404);
  });
});

describe("an APIService that cannot be followed", () => {
  test.each([
    ["a bundle that is none", { caBundle: base64("nonsense") }],
    [
      "a bundle with a broken certificate",
      { caBundle: base64("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n") },
    ],
    ["a name that no host has", { service: { namespace: "default", name: "e/x\u0000t", port: 443 } }],
    ["a port where nobody listens", { service: { namespace: "default", name: "ext", port: 1 } }],
  ])("has %s: it alone is unavailable", async (_, more) => {
    const name = "v1.odd.example.com";
    expect((await register(name, more)).status).toBe(201);
    await expect.poll(() => availability(name), within).toMatch(/^(False|True) /);
    expect((await call(server, "GET", "/apis/odd.example.com/v1/things")).status).toBe(503);
    expect((await call(server, "GET", `${base}/widgets`)).status).toBe(200);
    expect((await call(server, "GET", "/openapi/v3")).status).toBe(200);
    expect((await call(server, "GET", "/apis")).status).toBe(200);
    await call(server, "DELETE", `${apiServices}/${name}`);
  });
});

test("an APIService that leads back to this server is never asked", async () => {
  const service = { namespace: "default", name: "ext", port: server.port };
  await register("v1.loop.example.com", { service, insecureSkipTLSVerify: true });
  await expect.poll(() => availability("v1.loop.example.com"), within).toBe("False FailedDiscoveryCheck");
  const { json } = await call(server, "GET", `${apiServices}/v1.loop.example.com`);
  expect(JSON.stringify(json?.status)).toContain("where this API server listens");
  // As it would be if another server had found it available.
  const status = { conditions: [{ type: "Available", status: "True" }] };
  const loop = `${apiServices}/v1.loop.example.com`;
  const headers = { "content-type": "application/merge-patch+json" };
  await call(server, "PATCH", `${loop}/status`, { body: { status }, headers });
  const answer = await call(server, "GET", "/apis/loop.example.com/v1/things");
  expect([answer.status, answer.text]).toEqual([503, "service unavailable\n"]);
  await call(server, "DELETE", loop);
});

describe("an upgrade", () => {
  async function upgrade(
    path: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<{ readonly status: number; readonly socket: Duplex | undefined }> {
    const outgoing = request(`${server.url}${base}${path}`, {
      method: "POST",
      ca: readFileSync(server.caFile),
      agent: false,
      headers: { authorization: `Bearer ${server.token}`, connection: "Upgrade", upgrade: "echo", ...headers },
    });
    outgoing.end();
    return new Promise((resolve, reject) => {
      outgoing.on("upgrade", (response, socket) => resolve({ status: response.statusCode ?? 0, socket }));
      outgoing.on("response", (response) => {
        response.resume();
        resolve({ status: response.statusCode ?? 0, socket: undefined });
      });
      outgoing.on("error", reject);
    });
  }

  test("joins client and server", async () => {
    const { status, socket } = await upgrade("/namespaces/default/widgets/a/exec");
    expect(status).toBe(101);
    expect(extension.seen.at(-1)).toMatchObject({ client: "proxy-one", headers: { "x-remote-user": "admin" } });
    expect(extension.seen.at(-1)?.headers.authorization).toBeUndefined();
    socket?.write("ping");
    expect(String((await once(socket as Duplex, "data"))[0])).toBe("ping");
    socket?.destroy();
    await expect.poll(() => extension.streams(), within).toBe(0);
  });

  test.each(["o8s", "k8s"])("does not carry the token that a browser sends in a subprotocol (%s)", async (spelling) => {
    const token = Buffer.from(server.token).toString("base64url");
    const protocols = `base64url.bearer.authorization.${spelling}.io.${token}, v4.channel.o8s.io`;
    const { status, socket } = await upgrade("/widgets/a/exec", { "sec-websocket-protocol": protocols });
    expect(status).toBe(101);
    expect(extension.seen.at(-1)?.headers["sec-websocket-protocol"]).toBe("v4.channel.o8s.io");
    socket?.destroy();
    await expect.poll(() => extension.streams(), within).toBe(0);
  });

  test.each([
    ["a redirect", "redirect", 502],
    ["a plain answer", "plain", 503],
  ])("is not %s", async (_, name, status) => {
    expect((await upgrade(`/namespaces/default/widgets/${name}/exec`)).status).toBe(status);
  });
});

describe("records", () => {
  interface Recorded {
    readonly stage: string;
    readonly requestURI: string;
    readonly verb: string;
    readonly responseStatus?: { readonly code: number };
    readonly objectRef: object;
    readonly requestObject?: object;
  }
  const recordsOf = (path: string): readonly Recorded[] =>
    readFileSync(auditLog, "utf8")
      .split("\n")
      .flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Recorded]))
      .filter(({ requestURI }) => requestURI === `${base}${path}`);
  const stagesOf = (path: string) => {
    const stages = recordsOf(path).map(({ stage, responseStatus }) => `${stage} ${responseStatus?.code}`);
    return stages.slice(0, stages.findIndex((stage) => stage.startsWith("ResponseComplete")) + 1);
  };

  test("have the other server's status, and no bodies", async () => {
    const path = "/namespaces/default/widgets?recorded=1";
    await call(server, "POST", `${base}${path}`, { body: { kind: "Widget" } });
    const events = recordsOf(path);
    expect(events.map(({ stage }) => stage)).toEqual(["RequestReceived", "ResponseComplete"]);
    const objectRef = { resource: "widgets", namespace: "default", apiGroup: group, apiVersion: "v1" };
    expect(events[1]).toMatchObject({ verb: "create", objectRef, responseStatus: { code: expect.any(Number) } });
    expect(events[1]).not.toHaveProperty("requestObject");
  });

  test.each([
    ["a stream that was joined", "/namespaces/default/widgets/a/exec", 101],
    ["one that was refused there", "/namespaces/default/widgets/redirect/exec", 502],
    ["a watch", "/widgets?watch=true", 200],
  ])("say how %s began", async (_, path, code) => {
    await expect
      .poll(() => stagesOf(path), within)
      .toEqual(["RequestReceived undefined", `ResponseStarted ${code}`, `ResponseComplete ${code}`]);
  });

  test("say that an answer took too long", () => {
    expect(stagesOf("/widgets/hang")).toEqual(["RequestReceived undefined", "ResponseComplete 504"]);
  });
});

describe("documents", () => {
  test("the list of groups, by rank", async () => {
    const { json } = await call(server, "GET", "/apis");
    const { groups } = json as unknown as { readonly groups: readonly { readonly name: string }[] };
    const names = groups.map(({ name }) => name);
    expect(names.slice(0, 3)).toEqual(["apiregistration.o8s.io", "apps", "events.o8s.io"]);
    expect(names).toContain(group);
    expect((await call(server, "GET", `/apis/${group}`)).json).toMatchObject({
      kind: "APIGroup",
      preferredVersion: { groupVersion: `${group}/v1` },
    });
  });

  test("the resources, from the other server and within the aggregated document", async () => {
    expect((await call(server, "GET", base)).json).toMatchObject({ groupVersion: `${group}/v1` });
    const { json } = await call(server, "GET", "/apis", { headers: { accept: aggregated } });
    const { items } = json as unknown as {
      readonly items: readonly { readonly metadata: { readonly name: string } }[];
    };
    expect(items.find(({ metadata }) => metadata.name === group)).toMatchObject({
      versions: [
        {
          version: "v1",
          freshness: "Current",
          resources: [
            {
              resource: "widgets",
              singularResource: "widget",
              scope: "Namespaced",
              responseKind: { group, version: "v1", kind: "Widget" },
              subresources: [{ subresource: "status", verbs: ["get"] }],
            },
          ],
        },
      ],
    });
  });

  test("OpenAPI of version 3: listed, and passed on", async () => {
    const { json } = await call(server, "GET", "/openapi/v3");
    const paths = json?.paths as unknown as Record<string, { readonly serverRelativeURL: string }>;
    const url = paths[base.slice(1)]?.serverRelativeURL ?? "";
    expect(url).toBe(`/openapi/v3${base}?hash=HASH`);
    expect((await call(server, "GET", url)).json).toMatchObject({ info: { title: "extension" } });
    const old = await call(server, "GET", `/openapi/v3${base}?hash=OLD`);
    expect([old.status, old.headers.location]).toEqual([301, url]);
  });

  test("OpenAPI of version 2: merged, what clashes under other names", async () => {
    const { json } = await call(server, "GET", "/openapi/v2");
    const meta = "io.o8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
    const { paths, definitions } = json as unknown as Record<string, Record<string, object>>;
    expect(paths?.[`${base}/widgets`]).toBeDefined();
    expect(paths?.["/api/v1/namespaces/{namespace}/pods"]).toBeDefined();
    expect(paths?.["/api/v1/pods"]).not.toMatchObject({ get: { description: "not this server's" } });
    expect(definitions?.Widget).toMatchObject({ properties: { meta: { $ref: `#/definitions/${meta}_v2` } } });
    expect(definitions?.[`${meta}_v2`]).toMatchObject({ description: "another one" });
    expect(definitions?.Unused).toBeUndefined();
  });
});

test("another client certificate is shown once its files changed", async () => {
  await writeProxyClient("proxy-two");
  const client = async () => (await call(server, "GET", `${base}/widgets`)).json?.client;
  await expect.poll(client, within).toBe("proxy-two");
});

test("a server whose certificate has a common name only is not trusted, and counted", async () => {
  const nameless = await issueServerCertificate(servingCa, { commonName: "ext.default.svc", hosts: [] });
  const other = await startExtensionServer(nameless, proxyCa.certPem);
  const service = { namespace: "default", name: "ext", port: other.port };
  await register(`v1.nameless.${group}`, { caBundle: base64(servingCa.certPem), service });
  await expect.poll(() => availability(`v1.nameless.${group}`), within).toBe("True Passed");
  const counted = async () => {
    const { text } = await call(server, "GET", "/metrics");
    return Number(/^apiserver_orch_aggregator_x509_missing_san_total (\d+)$/m.exec(text)?.[1]);
  };
  const before = await counted();
  const { status, text } = await call(server, "GET", `/apis/nameless.${group}/v1/widgets`);
  const why = "x509: certificate relies on legacy Common Name field, use SANs instead";
  expect([status, text]).toEqual([503, `error trying to reach service: ${why}\n`]);
  expect((await counted()) - before).toBe(1);
  expect(other.seen.filter(({ url }) => url.includes("widgets"))).toEqual([]);
  await call(server, "DELETE", `${apiServices}/v1.nameless.${group}`);
  await other.stop();
});

test("a server that fails its check is not asked, is stale in discovery, and comes back", async () => {
  const name = `v1.${group}`;
  const touch = (n: number) =>
    call(server, "PATCH", `${apiServices}/${name}`, {
      body: { metadata: { annotations: { touched: String(n) } } },
      headers: { "content-type": "application/merge-patch+json" },
    });
  extension.fail(true);
  await touch(1);
  await expect.poll(() => availability(name), within).toBe("False FailedDiscoveryCheck");
  const answer = await call(server, "GET", `${base}/widgets`);
  expect([answer.status, answer.text]).toEqual([503, "service unavailable\n"]);
  const { json } = await call(server, "GET", "/apis", { headers: { accept: aggregated } });
  expect(JSON.stringify(json)).toContain('"freshness":"Stale"');
  const { text } = await call(server, "GET", "/metrics");
  expect(text).toContain(`aggregator_unavailable_apiservice{name="${name}"} 1`);
  expect(text).toContain(`aggregator_unavailable_apiservice_total{name="${name}",reason="FailedDiscoveryCheck"} 1`);
  extension.fail(false);
  await touch(2);
  await expect.poll(() => availability(name), within).toBe("True Passed");
  expect((await call(server, "GET", `${base}/widgets`)).status).toBe(200);
});

test("a server that stops ends the streams that it passes on", async () => {
  const watch = request(`${server.url}${base}/widgets?watch=true`, {
    ca: readFileSync(server.caFile),
    agent: false,
    headers: { authorization: `Bearer ${server.token}` },
  });
  watch.on("error", () => undefined);
  watch.end();
  const [response] = await once(watch, "response");
  response.on("error", () => undefined).resume();
  const closed = new Promise((resolve) => response.on("close", resolve));
  await expect.poll(() => extension.streams(), within).toBe(1);
  await server.restart();
  await closed;
  await expect.poll(() => extension.streams(), within).toBe(0);
  await expect.poll(async () => (await call(server, "GET", `${base}/widgets`)).status, within).toBe(200);
});
