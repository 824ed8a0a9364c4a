import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect } from "node:tls";
import { startApiServer, type TestApiServer } from "@orchernetes/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type CallOptions, call } from "./support.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";
const deep = (open: string, close: string, depth: number) => `${open.repeat(depth)}${close.repeat(depth)}`;
const merge = { "content-type": "application/merge-patch+json" };
const jsonPatch = { "content-type": "application/json-patch+json" };
const strategic = { "content-type": "application/strategic-merge-patch+json" };
const yaml = { "content-type": "application/yaml" };
const protobuf = { "content-type": "application/vnd.orchernetes.protobuf" };

let server: TestApiServer;
beforeAll(async () => {
  server = await startApiServer();
  await call(server, "POST", configMaps, { body: { metadata: { name: "victim" }, data: { a: "b" } } });
}, 30_000);
afterAll(async () => {
  await server?.stop();
});

const paths = [
  "//",
  "/%",
  "/%2e%2e/%2e%2e/etc/passwd",
  "/api//v1",
  "/api/v1/namespaces//configmaps",
  "/api/v1/namespaces/%00/configmaps",
  "/api/v1/namespaces/default/configmaps/%E0%A4%A",
  "/api/v1/namespaces/default/configmaps/..%2f..",
  "/apis/apps/v1/__proto__",
  "/api/v1/constructor",
  "/apis/__proto__/v1/x",
  "/api/v1/namespaces/__proto__/configmaps/constructor",
  `/api/v1/${"a/".repeat(2000)}`,
  `/api/v1/namespaces/default/configmaps/${"a".repeat(8000)}`,
  "/api/v1/watch",
  "/api/v1/watch/namespaces?timeoutSeconds=1",
  "/api/v1/namespaces/default/pods/x/log/y",
  "/api/v1/nodes/x:99999999/proxy/",
  "/api/v1/namespaces/default/services/https:a:b:c/proxy",
  "/api/v1/proxy/nodes/x",
  "/openapi/v3/../x",
  "/openapi/v3/apis/nope/v1",
  "/healthz/__proto__",
  "/readyz?exclude=__proto__",
  "/.well-known/",
  "/debug/pprof/nope",
];

const queries = [
  "labelSelector=a%20in%20(",
  "labelSelector=!!!",
  `labelSelector=${"a,".repeat(5000)}b`,
  "labelSelector=%00",
  "labelSelector=a%3D%3D%3Db",
  "fieldSelector=nope%3Dx",
  "fieldSelector=%3D",
  "fieldSelector=metadata.name",
  "fieldSelector=__proto__%3Dx",
  "limit=-1",
  "limit=abc",
  "limit=99999999999999999999",
  "continue=abc",
  "continue=e30",
  "continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6LTEsInN0YXJ0IjoiLi4vLi4vIn0",
  `continue=${"A".repeat(6000)}`,
  "resourceVersion=abc",
  "resourceVersion=-5",
  "resourceVersion=99999999999999999999999",
  "resourceVersion=1&resourceVersionMatch=nope",
  "resourceVersionMatch=Exact",
  "watch=1&resourceVersion=x",
  "watch=1&timeoutSeconds=x",
  "watch=1&timeoutSeconds=-1&resourceVersion=bogus",
  "watch=1&sendInitialEvents=maybe&timeoutSeconds=1",
  "timeoutSeconds=1e999",
  "pretty=%FF",
  "includeObject=nope",
  "watch=1&allowWatchBookmarks=zzz&timeoutSeconds=1",
  "%=%&&==&",
  "dryRun=nope",
  "gracePeriodSeconds=x",
];

const bodies: readonly (readonly [string, string, string, CallOptions])[] = [
  ["no body", "POST", configMaps, {}],
  ["an array", "POST", configMaps, { raw: "[]" }],
  ["null", "POST", configMaps, { raw: "null" }],
  ["a number", "POST", configMaps, { raw: "1" }],
  ["cut off", "POST", configMaps, { raw: '{"metadata":{"name":"x"' }],
  ["not UTF-8", "POST", configMaps, { raw: Buffer.from([0x7b, 0xff, 0xfe, 0x7d]) }],
  ["deep arrays", "POST", configMaps, { raw: deep("[", "]", 200_000) }],
  ["deep objects", "POST", configMaps, { raw: `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}` }],
  [
    "a prototype",
    "POST",
    configMaps,
    { raw: '{"metadata":{"name":"proto"},"__proto__":{"polluted":1},"data":{"__proto__":"x"}}' },
  ],
  ["wrong types", "POST", configMaps, { raw: '{"metadata":[],"data":1}' }],
  ["metadata of numbers", "POST", configMaps, { raw: '{"metadata":{"name":5,"labels":{"a":{}}}}' }],
  ["another kind", "POST", configMaps, { raw: '{"kind":"Secret","apiVersion":"v1","metadata":{"name":"x"}}' }],
  [
    "huge numbers",
    "POST",
    "/api/v1/namespaces/default/services",
    { raw: '{"metadata":{"name":"s"},"spec":{"ports":[{"port":1e308}]}}' },
  ],
  [
    "a hostile quantity",
    "POST",
    "/api/v1/namespaces/default/resourcequotas",
    { raw: `{"metadata":{"name":"q"},"spec":{"hard":{"pods":"${"9".repeat(100_000)}e999999999"}}}` },
  ],
  [
    "YAML aliases",
    "POST",
    configMaps,
    {
      raw: `a: &a [x]\n${Array.from({ length: 30 }, (_, i) => `b${i}: &b${i} [${i === 0 ? "*a,*a" : `*b${i - 1},*b${i - 1}`}]`).join("\n")}`,
      headers: yaml,
    },
  ],
  ["YAML tags", "POST", configMaps, { raw: "metadata: !!js/function 'x'\n", headers: yaml }],
  ["broken YAML", "POST", configMaps, { raw: "a: [\n  - b: }", headers: yaml }],
  ["two YAML documents", "POST", configMaps, { raw: "a: b\n---\nc: d\n", headers: yaml }],
  ["protobuf without magic", "POST", configMaps, { raw: "hello", headers: protobuf }],
  [
    "cut off protobuf",
    "POST",
    configMaps,
    { raw: Buffer.from([0x6f, 0x38, 0x73, 0, 0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f]), headers: protobuf },
  ],
  ["an unknown type", "POST", configMaps, { raw: "x", headers: { "content-type": "text/plain" } }],
  ["a nonsense type", "POST", configMaps, { raw: "{}", headers: { "content-type": ";;;=" } }],
  ["an encoded body", "POST", configMaps, { raw: "{}", headers: { "content-encoding": "gzip" } }],
  ["a JSON patch that is none", "PATCH", `${configMaps}/victim`, { raw: "{}", headers: jsonPatch }],
  [
    "a JSON patch of nonsense",
    "PATCH",
    `${configMaps}/victim`,
    { raw: '[{"op":"nope","path":"x"},{"op":"add"}]', headers: jsonPatch },
  ],
  [
    "a JSON patch of a prototype",
    "PATCH",
    `${configMaps}/victim`,
    { raw: '[{"op":"add","path":"/__proto__/polluted","value":1}]', headers: jsonPatch },
  ],
  [
    "a JSON patch that grows",
    "PATCH",
    `${configMaps}/victim`,
    {
      raw: JSON.stringify(Array.from({ length: 10_001 }, () => ({ op: "copy", from: "/data", path: "/data/a" }))),
      headers: jsonPatch,
    },
  ],
  [
    "a JSON patch beyond a list",
    "PATCH",
    `${configMaps}/victim`,
    { raw: '[{"op":"add","path":"/metadata/finalizers/99999999999","value":"a"}]', headers: jsonPatch },
  ],
  ["a merge patch of nothing", "PATCH", `${configMaps}/victim`, { raw: "null", headers: merge }],
  ["a merge patch of a list", "PATCH", `${configMaps}/victim`, { raw: "[]", headers: merge }],
  ["a merge patch of all", "PATCH", `${configMaps}/victim`, { raw: '{"metadata":null,"kind":null}', headers: merge }],
  [
    "a strategic patch of directives",
    "PATCH",
    `${configMaps}/victim`,
    { raw: '{"$patch":"nope","$retainKeys":5,"data":{"$deleteFromPrimitiveList/x":{}}}', headers: strategic },
  ],
  [
    "a strategic patch of orders",
    "PATCH",
    `${configMaps}/victim`,
    {
      raw: '{"metadata":{"$setElementOrder/finalizers":[{}],"ownerReferences":[{"$patch":"merge"}]}}',
      headers: strategic,
    },
  ],
  [
    "delete options of nonsense",
    "DELETE",
    `${configMaps}/none`,
    { raw: '{"gracePeriodSeconds":"x","preconditions":[]}' },
  ],
  ["a scale of nothing", "PUT", "/apis/apps/v1/namespaces/default/deployments/none/scale", { raw: "{}" }],
  ["an eviction without a name", "POST", "/api/v1/namespaces/default/pods/none/eviction", { raw: '{"metadata":null}' }],
  ["a binding without a target", "POST", "/api/v1/namespaces/default/bindings", { raw: '{"metadata":{"name":"x"}}' }],
  ["a token request of nothing", "POST", "/api/v1/namespaces/default/serviceaccounts/none/token", { raw: "{}" }],
  ["a review of nothing", "POST", "/apis/authorization.o8s.io/v1/subjectaccessreviews", { raw: "{}" }],
  ["a token review of nothing", "POST", "/apis/authentication.o8s.io/v1/tokenreviews", { raw: '{"spec":{}}' }],
];

const headerSets: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ["no acceptable type", { accept: "image/png" }],
  ["nonsense to accept", { accept: ";;q=,,application/json;as=Nope;g=x;v=y" }],
  ["a table of an unknown group", { accept: "application/json;as=Table;g=evil;v=v1" }],
  ["ten thousand types", { accept: "a/b,".repeat(2500) }],
  ["nobody to impersonate", { "impersonate-user": "" }],
  ["a group without a user", { "impersonate-group": "x" }],
  ["an extra without a user", { "impersonate-extra-%zz": "x" }],
  ["a broken token", { authorization: "Bearer a.b.c" }],
  ["an unsigned token", { authorization: `Bearer ${btoa('{"alg":"none"}')}.${btoa("{}")}.` }],
  ["another scheme", { authorization: "Basic Og==" }],
  ["an empty scheme", { authorization: " " }],
  ["claims of a proxy", { "x-remote-user": "admin", "x-remote-group": "system:masters" }],
  ["a nonsense etag", { "if-none-match": '"\\"' }],
];

async function expectAlive(): Promise<void> {
  expect((await call(server, "GET", "/livez")).status).toBe(200);
  expect(Object.prototype).not.toHaveProperty("polluted");
}

test.each(paths.map((path) => [path.slice(0, 80), path]))("path %j causes no 5xx", async (_, path) => {
  for (const method of ["GET", "POST", "DELETE"]) expect((await call(server, method, path)).status).toBeLessThan(500);
});

test.each(queries.map((query) => [query.slice(0, 80), query]))(
  "query %j is no fault of the server",
  async (_, query) => {
    expect((await call(server, "GET", `${configMaps}?${query}`)).status).toBeLessThan(500);
  },
);

test.each(bodies)("a body with %s causes no 5xx", async (_, method, path, options) => {
  const { status } = await call(server, method, path, options);
  expect(status).toBeLessThan(500);
  await expectAlive();
});

test.each(headerSets)("headers with %s cause no 5xx", async (_, headers) => {
  expect((await call(server, "GET", configMaps, { headers })).status).toBeLessThan(500);
});

test.each([
  ["not HTTP", "hello\r\n\r\n"],
  ["an unknown method", "FOO /api HTTP/1.1\r\nhost: x\r\n\r\n"],
  ["two lengths", "POST /api/v1/namespaces HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n{}"],
  [
    "length and chunks",
    "POST /api HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
  ],
  [
    "an upgrade to nothing",
    "GET /api/v1/namespaces/default/pods/x/exec HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: nope\r\n\r\n",
  ],
  ["headers without end", `GET /api HTTP/1.1\r\nhost: x\r\na: ${"x".repeat(300_000)}\r\n\r\n`],
])("bytes that are %s end the connection alone", async (_, bytes) => {
  const socket = connect({
    host: "127.0.0.1",
    port: server.port,
    ca: readFileSync(server.caFile),
    ALPNProtocols: ["http/1.1"],
  });
  socket.on("error", () => undefined);
  await once(socket, "secureConnect");
  let answer = "";
  socket.setEncoding("utf8").on("data", (chunk) => {
    answer += chunk;
    // One answer is enough; what follows on a connection that stays is of no interest.
    if (answer.includes("\r\n\r\n")) socket.end();
  });
  socket.write(bytes);
  await once(socket, "close");
  expect(answer === "" ? 400 : Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1])).toBeLessThan(500);
  await expectAlive();
});

test("the victim is as it was, or as a valid patch left it", async () => {
  const { status, json } = await call(server, "GET", `${configMaps}/victim`);
  expect(status).toBe(200);
  expect(json.metadata?.name).toBe("victim");
});
