import { afterEach, beforeEach, expect, test } from "vitest";
import type { Aggregator, RemoteGroupVersion } from "../src/index.ts";
import { startServer, type TestServer } from "./harness.ts";

const remote = { group: "far.example.com", version: "v1" };
const aggregated = "application/json;g=apidiscovery.o8s.io;v=v2beta1;as=APIGroupDiscoveryList";
const protobuf = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";

let state: { groupVersion: RemoteGroupVersion; generation: number; document: string; revision: string };
let forwarded: string[];
let server: TestServer;

/** Answers with what it was asked, in the place of another server. */
function fakeAggregator(): Aggregator {
  return {
    serves: (group, version) => group === remote.group && version === remote.version,
    async proxy({ req, res, user, auditId }, { group, version }) {
      forwarded.push(`${req.method} ${req.url} for ${user.name} to ${group}/${version} ${auditId}`);
      req.resume();
      res.setHeader("content-type", "application/json");
      res.writeHead(203);
      res.end("{}");
    },
    proxyUpgrade: () => Promise.reject(new Error("not asked here")),
    groupVersions: () => [state.groupVersion],
    rank: (group) => ({ group: group === remote.group ? 9 : 1, version: 1 }),
    get generation() {
      return state.generation;
    },
    openApi: {
      version2: async () => ({
        revision: state.revision,
        documents: [{ body: Buffer.from(state.document), groupVersions: [remote] }],
      }),
      version3: async () => new Map([[`apis/${remote.group}/${remote.version}`, "HASH"]]),
    },
  };
}

beforeEach(async () => {
  state = { groupVersion: { ...remote, resources: [], current: true }, generation: 1, document: "{}", revision: "1" };
  forwarded = [];
  server = await startServer({ aggregator: fakeAggregator() });
});
afterEach(() => server.stop());

test.each([
  ["GET", "/apis/far.example.com/v1"],
  ["GET", "/apis/far.example.com/v1/"],
  ["GET", "/apis/far.example.com/v1/namespaces/a/things/b?x=%2F"],
  ["POST", "/apis/far.example.com/v1/things"],
  ["DELETE", "/apis/far.example.com/v1/things"],
  ["GET", "/apis/far.example.com/v1/things?watch=true"],
  ["GET", "/openapi/v3/apis/far.example.com/v1?hash=HASH"],
])("%s %s goes elsewhere", async (method, path) => {
  const { status, headers } = await server.call(method, path, undefined, { "audit-id": "id-1" });
  expect([status, headers.get("audit-id")]).toEqual([203, "id-1"]);
  expect(forwarded).toEqual([`${method} ${path} for admin to far.example.com/v1 id-1`]);
});

test.each([
  ["/apis/far.example.com", 200],
  ["/apis/far.example.com/v2", 404],
  ["/apis/far.example.com/v2/things", 404],
  ["/apis/toys.example.com/v1", 200],
  ["/apis/toys.example.com/v1/toys", 200],
  ["/openapi/v3/apis/toys.example.com/v1", 200],
  ["/api/far.example.com/v1", 404],
])("%s stays here: %i", async (path, status) => {
  expect((await server.call("GET", path)).status).toBe(status);
  expect(forwarded).toEqual([]);
});

test("a request that is not authorized is not forwarded", async () => {
  const headers = { authorization: "Bearer nobody" };
  expect((await server.call("GET", "/apis/far.example.com/v1/things", undefined, headers)).status).toBe(403);
  expect(forwarded).toEqual([]);
});

test("the group with the highest priority comes first, in both lists of groups", async () => {
  const { body } = await server.call("GET", "/apis");
  expect(body.groups[0].name).toBe(remote.group);
  const { body: list } = await server.call("GET", "/apis", undefined, { accept: aggregated });
  expect(list.items[0].metadata.name).toBe(remote.group);
});

test("aggregated discovery has the last known resources of the other server", async () => {
  const ask = async () => {
    const { body, headers } = await server.call("GET", "/apis", undefined, { accept: aggregated });
    return { etag: headers.get("etag"), version: body.items[0].versions[0] };
  };
  const before = await ask();
  expect(before.version).toEqual({ version: "v1", resources: [], freshness: "Current" });
  const orphan = { name: "lost/status", singularName: "", namespaced: true, kind: "Lost", verbs: ["get"] };
  const scale = { ...orphan, name: "things/scale", group: "autoscaling", version: "v1", kind: "Scale" };
  const thing = {
    name: "things",
    singularName: "thing",
    namespaced: false,
    kind: "Thing",
    verbs: ["list"],
    shortNames: ["t"],
  };
  state.groupVersion = { ...remote, resources: [scale, orphan, thing], current: false };
  state.generation++;
  const after = await ask();
  expect(after.version).toEqual({
    version: "v1",
    freshness: "Stale",
    resources: [
      {
        resource: "things",
        responseKind: { ...remote, kind: "Thing" },
        scope: "Cluster",
        singularResource: "thing",
        verbs: ["list"],
        shortNames: ["t"],
        subresources: [
          {
            subresource: "scale",
            responseKind: { group: "autoscaling", version: "v1", kind: "Scale" },
            verbs: ["get"],
          },
        ],
      },
    ],
  });
  expect(after.etag).not.toBe(before.etag);
});

test("a new revision of another server's document is merged again", async () => {
  const paths = async () => Object.keys((await server.call("GET", "/openapi/v2")).body.paths);
  expect(await paths()).not.toContain("/apis/far.example.com/v1/things");
  state.document = JSON.stringify({ paths: { "/apis/far.example.com/v1/things": { get: {} } } });
  expect(await paths()).not.toContain("/apis/far.example.com/v1/things");
  state.revision = "2";
  expect(await paths()).toContain("/apis/far.example.com/v1/things");
});

test.each([
  { get: 5 },
  { get: { parameters: { a: 1 }, responses: [], tags: "x" } },
  { parameters: [null, 1, "a"], get: { operationId: {}, responses: { 200: null } } },
  {
    "x-a": [[[]]],
    get: { responses: { 200: { schema: { type: { a: 1 }, properties: [1], enum: 5, required: {} } } } },
  },
])("an odd document of another server harms no form of the own one (%#)", async (item) => {
  state.document = JSON.stringify({ paths: { "/apis/far.example.com/v1/things": item }, definitions: { A: 5 } });
  for (const accept of ["application/json", protobuf]) {
    const response = await fetch(`${server.url}/openapi/v2`, { headers: { accept, authorization: "Bearer admin" } });
    expect(response.status).toBe(200);
    expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(1000);
  }
});

test("the index of version 3 names the other server's document, and outdated URLs redirect to the current one", async () => {
  const { body } = await server.call("GET", "/openapi/v3");
  const url = "/openapi/v3/apis/far.example.com/v1?hash=HASH";
  expect(body.paths["apis/far.example.com/v1"]).toEqual({ serverRelativeURL: url });
  expect(Object.keys(body.paths)).toContain("apis/toys.example.com/v1");
  const old = await fetch(`${server.url}/openapi/v3/apis/far.example.com/v1?hash=OLD`, {
    headers: { authorization: "Bearer admin" },
    redirect: "manual",
  });
  expect([old.status, old.headers.get("location")]).toEqual([301, url]);
});
