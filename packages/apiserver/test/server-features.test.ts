import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { request } from "node:http";
import { connect, createServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  defineResource,
  enumeration,
  type Infer,
  message,
  ObjectMeta,
  object,
  optional,
  type ResourceDefinition,
  value,
} from "@orchernetes/apimachinery";
import type { HttpRequest, HttpResponse } from "@orchernetes/kernel";
import { openEmbeddedStore, type Store } from "@orchernetes/storage";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ServerFeatures } from "../src/index.ts";
import { startServer, type TestServer } from "./harness.ts";
import { toys } from "./toy.ts";

const DieSpec = message("dice/v1", "DieSpec", () => ({ side: optional(1, enumeration("Two", "One")) }));
const DieSchema = object("dice/v1", "Die", () => ({ metadata: value(1, ObjectMeta), spec: value(2, DieSpec) }));
interface Die extends Infer<typeof DieSchema> {}
const dice = defineResource<Die>({
  group: "dice.example.com",
  version: "v1",
  kind: "Die",
  plural: "dice",
  singular: "die",
  scope: "Cluster",
  verbs: ["get", "list"],
  schema: DieSchema,
  storagePrefix: "/registry/dice.example.com/dice",
  columns: [],
  strategy: {},
});

const everything: ServerFeatures = {
  listChunking: true,
  remainingItemCount: true,
  responseCompression: true,
  storageVersionHash: true,
  openApiEnums: true,
  aggregatedDiscovery: true,
  watchList: true,
  watchFromStorage: true,
  leaveUnauthenticated: true,
};
const nothing = Object.fromEntries(Object.keys(everything).map((key) => [key, false])) as unknown as ServerFeatures;
const group = "/apis/toys.example.com/v1";
const collection = `${group}/namespaces/default/toys`;

/** A server with three large toys. */
async function start(features: Partial<ServerFeatures>): Promise<TestServer> {
  const server = await startServer({
    definitions: [toys, dice] as unknown as readonly ResourceDefinition[],
    features,
  });
  const annotations = { text: "a".repeat(60_000) };
  for (const name of ["a", "b", "c"]) await server.call("POST", collection, { metadata: { name, annotations } });
  return server;
}

describe.each([
  ["on", everything],
  ["off", nothing],
])("every feature %s", (state, features) => {
  const on = state === "on";
  let server: TestServer;
  beforeAll(async () => {
    server = await start(features);
  });
  afterAll(() => server.stop());

  test("limit and continue", async () => {
    const { body } = await server.call("GET", `${collection}?limit=2`);
    expect([body.items.length, "continue" in body.metadata]).toEqual(on ? [2, true] : [3, false]);
    const garbage = await server.call("GET", `${collection}?limit=2&continue=garbage`);
    expect([garbage.status, garbage.body.items?.length]).toEqual(on ? [400, undefined] : [200, 3]);
  });

  test("compression of long answers", async () => {
    const headers = { authorization: "Bearer admin", "accept-encoding": "gzip" };
    const call = request(server.url + collection, { headers });
    call.end();
    const [answer] = await once(call, "response");
    answer.resume();
    expect(answer.headers["content-encoding"]).toBe(on ? "gzip" : undefined);
  });

  test("hashes of storage versions", async () => {
    const { body } = await server.call("GET", group);
    const own = body.resources.find(({ name }: { name: string }) => name === "toys");
    expect(own.storageVersionHash).toEqual(on ? expect.any(String) : undefined);
  });

  test.each([
    ["/openapi/v2", (body: { definitions: object }) => body.definitions],
    ["/openapi/v3/apis/dice.example.com/v1", (body: { components: { schemas: object } }) => body.components.schemas],
  ])("values of fields in %s", async (path, schemas) => {
    const { body } = await server.call("GET", path);
    const [, die] = Object.entries(schemas(body)).find(([name]) => name.endsWith("DieSpec")) ?? [];
    expect(die.properties.side).toMatchObject({ type: "string" });
    expect(die.properties.side.enum).toEqual(on ? ["One", "Two"] : undefined);
  });

  test.each(["/api", "/apis"])("aggregated discovery at %s", async (path) => {
    const type = "application/json;g=apidiscovery.o8s.io;v=v2beta1;as=APIGroupDiscoveryList";
    const { status, body, headers } = await server.call("GET", path, undefined, { accept: `${type},application/json` });
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe(on ? type : "application/json");
    expect(body.kind).toBe(on ? "APIGroupDiscoveryList" : path === "/api" ? "APIVersions" : "APIGroupList");
  });

  test("sendInitialEvents", async () => {
    const query = "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=1";
    const { status, text, body } = await server.call("GET", `${collection}?${query}`);
    expect(status).toBe(on ? 200 : 422);
    if (on) expect(text.match(/"ADDED"/g)).toHaveLength(3);
    else expect(body.details.causes).toEqual([expect.objectContaining({ field: "sendInitialEvents" })]);
  });
});

test.each([
  [true, 1],
  [false, undefined],
])("pages tell how many objects follow: %s", async (remainingItemCount, wanted) => {
  const server = await start({ remainingItemCount });
  try {
    const first = await server.call("GET", `${collection}?limit=2`);
    expect(first.body.metadata.continue).toEqual(expect.any(String));
    expect(first.body.metadata.remainingItemCount).toBe(wanted);
    const token = (await server.call("GET", `${collection}?limit=1`)).body.metadata.continue;
    const second = await server.call("GET", `${collection}?limit=1&continue=${token}`);
    expect(second.body.metadata.remainingItemCount).toBe(wanted);
  } finally {
    await server.stop();
  }
});

test.each([
  [true, "", 1],
  [true, "&resourceVersion=0", 0],
  [true, "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan", 0],
  [false, "", 0],
])("watches are served from the store: %s with %j reads it %i times", async (watchFromStorage, query, reads) => {
  const directory = await mkdtemp(join(tmpdir(), "features-test-"));
  const store = await openEmbeddedStore({ path: directory });
  let lists = 0;
  const list: Store["list"] = (...asked) => {
    lists++;
    return store.list(...asked);
  };
  const counted: Store = new Proxy(store, {
    get: (target, name) => {
      if (name === "list") return list;
      const member: unknown = Reflect.get(target, name);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
  const server = await startServer({ features: { watchFromStorage }, store: counted });
  try {
    await server.call("POST", collection, { metadata: { name: "a" } });
    const before = lists;
    const { text } = await server.call("GET", `${collection}?watch=1&timeoutSeconds=1${query}`);
    expect(text.match(/"ADDED"/g)).toHaveLength(1);
    expect(lists - before).toBe(reads);
  } finally {
    await server.stop();
    await store.close();
    await rm(directory, { recursive: true, force: true });
  }
});

test.each([
  [true, "Bearer wrong", true],
  [true, undefined, true],
  [true, "Bearer admin", false],
  [false, undefined, false],
])("unknown clients leave their HTTP/2 connection: %s for %j: %s", async (leaveUnauthenticated, token, leaves) => {
  const server = await start({ leaveUnauthenticated });
  const http = createServer((req, res) =>
    server.server.handleRequest(req as unknown as HttpRequest, res as unknown as HttpResponse),
  );
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const session = connect(`http://127.0.0.1:${(http.address() as AddressInfo).port}`);
  let told = false;
  session.on("goaway", () => {
    told = true;
  });
  const ask = async (): Promise<void> => {
    const stream = session.request({ ":path": "/version", ...(token === undefined ? {} : { authorization: token }) });
    stream.resume();
    await once(stream, "end");
  };
  try {
    await ask();
    // What the server says of the connection comes before its answer to a ping.
    await new Promise((resolve) => session.ping(resolve));
    expect(told).toBe(leaves);
  } finally {
    session.close();
    http.close();
    await server.stop();
  }
});
