import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type ApiObject, isAlreadyExists, isConflict, isExpired, isNotFound } from "@orchernetes/apimachinery";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createClient, type ResourceRef, TransportError, type WatchEvent } from "./index.ts";
import { type FakeApiServer, startFakeApiServer } from "./testing/index.ts";

interface Thing extends ApiObject {
  readonly data?: Readonly<Record<string, string>>;
  readonly status?: unknown;
}
const things: ResourceRef<Thing> = { group: "", version: "v1", plural: "things", kind: "Thing", scope: "Namespaced" };

let server: FakeApiServer;
beforeEach(async () => {
  server = await startFakeApiServer();
});
afterEach(() => server.close());

const connect = (options: Partial<Parameters<typeof createClient>[0]> = {}) =>
  createClient({ server: server.url, ...options });

describe("typed access", () => {
  test("creates, reads, updates and deletes an object", async () => {
    const client = connect();
    const inA = client.resource(things).namespace("a");
    const made = await inA.create({ metadata: { name: "x" }, data: { k: "1" } });
    expect(JSON.parse(server.requests[0]?.body ?? "")).toMatchObject({ kind: "Thing", apiVersion: "v1" });
    const changed = await inA.update({ ...made, data: { k: "2" } });
    await expect(inA.update(made)).rejects.toSatisfy(isConflict);
    await inA.patch("x", { data: { l: "3" } });
    expect((await inA.get("x")).data).toEqual({ k: "2", l: "3" });
    expect(changed.metadata.uid).toBe(made.metadata.uid);
    await inA.delete("x", { preconditions: { uid: made.metadata.uid } });
    await expect(inA.get("x")).rejects.toSatisfy(isNotFound);
    client.close();
  });

  test("a fence stops writes, also of clients made from this one, and no reads", async () => {
    let open = true;
    const fence = (): void => {
      if (!open) throw new Error("somebody else writes");
    };
    const client = connect().with({ fence }).with({ userAgent: "other" });
    const inA = client.resource(things).namespace("a");
    const made = await inA.create({ metadata: { name: "x" } });
    open = false;
    await expect(inA.create({ metadata: { name: "y" } })).rejects.toThrow("somebody else writes");
    await expect(inA.update(made)).rejects.toThrow("somebody else writes");
    await expect(inA.patch("x", {})).rejects.toThrow("somebody else writes");
    await expect(inA.delete("x")).rejects.toThrow("somebody else writes");
    expect((await inA.get("x")).metadata.resourceVersion).toBe(made.metadata.resourceVersion);
    expect(server.requests.map(({ method }) => method)).toEqual(["POST", "GET"]);
    client.close();
  });

  test("errors contain the server's Status", async () => {
    const client = connect();
    await client.resource(things).create({ metadata: { name: "x", namespace: "a" } });
    const again = client.resource(things).create({ metadata: { name: "x", namespace: "a" } });
    await expect(again).rejects.toSatisfy(isAlreadyExists);
    await expect(again).rejects.toThrow('things "x" already exists');
    client.close();
  });

  test("reads all pages at one resourceVersion", async () => {
    for (let i = 0; i < 25; i++) server.put("/api/v1/things", { metadata: { name: `t${i}`, namespace: "a" } });
    const client = connect();
    const all = await client.resource(things).listAll({ limit: 10 });
    expect(all.items).toHaveLength(25);
    expect(server.requests.map(({ query }) => query.get("continue"))).toEqual([null, "10", "20"]);
    client.close();
  });

  test.each([
    ["json", [{ op: "add", path: "/x", value: 1 }], "application/json-patch+json"],
    ["merge", {}, "application/merge-patch+json"],
    ["strategic", {}, "application/strategic-merge-patch+json"],
    ["apply", {}, "application/apply-patch+yaml"],
  ] as const)("sends a %s patch as its media type", async (type, patch, mediaType) => {
    server.hook = () => ({ status: 200 });
    const client = connect();
    await client.resource(things).namespace("a").patch("x", patch, { type, fieldManager: "me", force: true });
    expect(server.requests[0]?.headers["content-type"]).toBe(mediaType);
    expect(server.requests[0]?.query.toString()).toBe("fieldManager=me&force=true");
    client.close();
  });
});

describe("watch", () => {
  test("yields events in order and ends when its signal aborts", async () => {
    const client = connect();
    const controller = new AbortController();
    const seen: string[] = [];
    const watching = (async () => {
      for await (const event of client.resource(things).watch({ resourceVersion: "100", signal: controller.signal })) {
        seen.push(`${event.type} ${(event as WatchEvent<Thing> & { type: "ADDED" }).object.metadata.name ?? ""}`);
        if (seen.length === 3) controller.abort(new Error("enough"));
      }
    })();
    server.put("/api/v1/things", { metadata: { name: "x", namespace: "a" } });
    server.put("/api/v1/things", { metadata: { name: "x", namespace: "a" }, data: { k: "ü".repeat(70_000) } });
    server.remove("/api/v1/things", "a/x");
    await expect(watching).rejects.toThrow("enough");
    expect(seen).toEqual(["ADDED x", "MODIFIED x", "DELETED x"]);
    client.close();
  });

  test("a watch from a compacted version throws ApiError 410", async () => {
    server.compact();
    const client = connect();
    const watching = client.resource(things).watch({ resourceVersion: "5" })[Symbol.asyncIterator]();
    await expect(watching.next()).rejects.toSatisfy(isExpired);
    client.close();
  });
});

describe("failures of the connection", () => {
  test("a response 429 with Retry-After is retried", async () => {
    let left = 2;
    server.hook = () => (left-- > 0 ? { status: 429, headers: { "retry-after": "0" } } : undefined);
    const client = connect();
    expect((await client.resource(things).list()).items).toEqual([]);
    expect(server.requests).toHaveLength(3);
    client.close();
  });

  test("a response that is not a Status is still reported", async () => {
    server.hook = () => ({ status: 502, headers: { "content-type": "text/plain" }, body: "bad gateway" });
    const client = connect();
    await expect(client.resource(things).list()).rejects.toMatchObject({ name: "ApiError", code: 502 });
    client.close();
  });

  test("a dead connection is a TransportError; a read is repeated once on a new connection when the broken one was reused", async () => {
    const client = connect();
    await client.resource(things).list();
    let drops = 1;
    server.hook = () => (drops-- > 0 ? "drop" : undefined);
    expect((await client.resource(things).list()).items).toEqual([]);
    drops = 9;
    await expect(client.resource(things).create({ metadata: { name: "x", namespace: "a" } })).rejects.toThrow(
      TransportError,
    );
    client.close();
  });

  test("a refused connection is a TransportError that says that the request was not sent", async () => {
    const client = createClient({ server: "http://127.0.0.1:9" });
    await expect(client.request({ method: "GET", path: "/" })).rejects.toMatchObject({
      name: "TransportError",
      code: "ECONNREFUSED",
      sent: false,
    });
  });

  test("a request without a response fails at its timeout", async () => {
    const client = connect({ timeoutMs: 30 });
    server.hook = () => "hang";
    await expect(client.resource(things).list()).rejects.toMatchObject({ name: "TransportError", code: "ETIMEDOUT" });
    client.close();
  });

  test("the client's signal aborts all its requests", async () => {
    const controller = new AbortController();
    const client = connect({ signal: controller.signal });
    server.hook = () => "hang";
    const hanging = client.resource(things).list();
    controller.abort(new Error("stopping"));
    await expect(hanging).rejects.toThrow("stopping");
    await expect(client.resource(things).list()).rejects.toThrow("stopping");
    client.close();
  });
});

test("a rejected token is read again from its file", async () => {
  const dir = mkdtempSync(path.join(tmpdir(), "client-"));
  const tokenFile = path.join(dir, "token");
  writeFileSync(tokenFile, "old\n");
  const client = connect({ tokenFile });
  await client.resource(things).list();
  writeFileSync(tokenFile, "fresh\n");
  server.hook = ({ headers }) => (headers.authorization === "Bearer fresh" ? undefined : { status: 401 });
  await client.resource(things).list();
  expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([
    "Bearer old",
    "Bearer old",
    "Bearer fresh",
  ]);
  client.close();
  rmSync(dir, { recursive: true });
});

test.each(["127.0.0.1:6443", "ftp://x", ""])("rejects the address %j", (address) => {
  expect(() => createClient({ server: address })).toThrow(/expected a URL/);
});
