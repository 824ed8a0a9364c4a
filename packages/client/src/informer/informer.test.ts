import type { ApiObject } from "@orchernetes/apimachinery";
import { createCertificateAuthority, issueServerCertificate } from "@orchernetes/tls";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type Client, createClient, createInformer, createInformerFactory, type ResourceRef } from "../index.ts";
import { type FakeApiServer, startFakeApiServer } from "../testing/index.ts";

interface Thing extends ApiObject {
  readonly color?: string;
}
const things: ResourceRef<Thing> = { group: "", version: "v1", plural: "things", kind: "Thing", scope: "Namespaced" };
const path = "/api/v1/things";

let server: FakeApiServer;
let client: Client;
let stop: AbortController;
const ca = await createCertificateAuthority({ commonName: "ca" });
const { certPem, keyPem } = await issueServerCertificate(ca, { commonName: "server", hosts: ["127.0.0.1"] });
beforeEach(async () => {
  // Over HTTP/2, as in daemons.
  server = await startFakeApiServer({ tls: { cert: certPem, key: keyPem } });
  client = createClient({ server: server.url, tls: { ca: ca.certPem } });
  stop = new AbortController();
});
afterEach(async () => {
  stop.abort();
  client.close();
  await server.close();
});

function follow(options: Parameters<typeof createInformer<Thing>>[2] = {}) {
  const informer = createInformer(client, things, { indexers: { color: ({ color }) => color }, ...options });
  const log: string[] = [];
  informer.addHandler({
    onAdd: ({ metadata, color }, initial) => void log.push(`add ${metadata.name} ${color}${initial ? " initial" : ""}`),
    onUpdate: (old, { metadata, color }) => void log.push(`update ${metadata.name} ${old.color}>${color}`),
    onDelete: ({ metadata, color }, stale) => void log.push(`delete ${metadata.name} ${color}${stale ? " stale" : ""}`),
  });
  const done = informer.run(stop.signal);
  return { informer, log, done };
}
const put = (name: string, color: string, namespace = "a") =>
  server.put(path, {
    ...server.objects(path).find(({ metadata }) => metadata.name === name),
    metadata: { name, namespace },
    color,
  });

describe("an informer", () => {
  test("lists, then follows", async () => {
    put("x", "red");
    const { informer, log } = follow();
    expect(informer.hasSynced()).toBe(false);
    await informer.waitForSync();
    put("y", "red", "b");
    put("x", "blue");
    server.remove(path, "b/y");
    await vi.waitFor(() => expect(log).toHaveLength(4), { timeout: 20_000 });
    expect(log).toEqual(["add x red initial", "add y red", "update x red>blue", "delete y red"]);
    expect(informer.lister.get("a", "x")?.color).toBe("blue");
    expect(informer.lister.list("b")).toEqual([]);
    expect(informer.lister.byIndex("color", "blue")).toHaveLength(1);
    expect(informer.lister.byIndex("color", "red")).toEqual([]);
  });

  test("resumes an ended watch without listing again", async () => {
    const { informer, log } = follow({ random: () => 0 });
    await informer.waitForSync();
    put("x", "red");
    await vi.waitFor(() => expect(log).toEqual(["add x red"]), { timeout: 20_000 });
    server.endWatches();
    put("x", "blue");
    await vi.waitFor(() => expect(log).toEqual(["add x red", "update x red>blue"]), { timeout: 20_000 });
    expect(server.requests.filter(({ query }) => !query.has("watch"))).toHaveLength(1);
  });

  test("lists again at the latest version when the history is compacted, and reports what it missed", async () => {
    put("x", "red");
    put("y", "red");
    put("z", "red");
    const { informer, log } = follow({ random: () => 0 });
    await informer.waitForSync();
    log.length = 0;
    await vi.waitFor(() => expect(server.requests.some(({ query }) => query.has("watch"))).toBe(true), {
      timeout: 20_000,
    });
    server.hook = ({ query }) => (query.has("watch") ? { status: 503 } : undefined);
    server.endWatches();
    server.remove(path, "a/x");
    put("y", "blue");
    server.remove(path, "a/z");
    put("z", "green");
    server.compact();
    server.hook = undefined;
    await vi.waitFor(() => expect(log).toHaveLength(4), { timeout: 3000 });
    expect(log).toEqual(["delete x red stale", "update y red>blue", "delete z red stale", "add z green"]);
    expect(server.requests.findLast(({ query }) => !query.has("watch"))?.query.get("resourceVersion")).toBeNull();
  });

  test("an unreachable server is retried until it responds", async () => {
    let away = true;
    server.hook = () => (away ? "drop" : undefined);
    put("x", "red");
    const { informer, log } = follow({ random: () => 0 });
    await vi.waitFor(() => expect(server.requests.length).toBeGreaterThan(0), { timeout: 20_000 });
    expect(informer.hasSynced()).toBe(false);
    away = false;
    await informer.waitForSync();
    expect(log).toEqual(["add x red initial"]);
  });

  test("bookmarks advance the version to resume from", async () => {
    const { informer } = follow({ random: () => 0 });
    await informer.waitForSync();
    await vi.waitFor(() => expect(server.requests.filter(({ query }) => query.has("watch"))).toHaveLength(1), {
      timeout: 20_000,
    });
    server.put("/api/v1/others", { metadata: { name: "o" } });
    const latest = server.put("/api/v1/others", { metadata: { name: "o" } }).metadata.resourceVersion;
    server.sendBookmarks();
    server.endWatches();
    await vi.waitFor(() => expect(server.requests.filter(({ query }) => query.has("watch"))).toHaveLength(2), {
      timeout: 20_000,
    });
    expect(server.requests.at(-1)?.query.get("resourceVersion")).toBe(latest);
  });

  test("ends when its signal aborts", async () => {
    const { informer, done } = follow();
    await informer.waitForSync();
    stop.abort();
    await done;
    await expect(informer.waitForSync(stop.signal)).rejects.toThrow();
  });

  test("a handler that throws does not affect the others", async () => {
    const informer = createInformer(client, things);
    informer.addHandler({
      onAdd() {
        throw new Error("oops");
      },
    });
    const seen: string[] = [];
    informer.addHandler({ onAdd: ({ metadata }) => void seen.push(metadata.name) });
    put("x", "red");
    void informer.run(stop.signal);
    await informer.waitForSync();
    expect(seen).toEqual(["x"]);
  });

  test("calls its handlers for all cached objects at a resync", async () => {
    put("x", "red");
    const { log } = follow({ resyncMs: 10 });
    await vi.waitFor(() => expect(log).toContain("update x red>red"), { timeout: 20_000 });
  });
});

test("an informer factory shares informers, and starts late ones", async () => {
  const factory = createInformerFactory(client);
  const first = factory.informer(things);
  factory.start(stop.signal);
  await factory.waitForSync();
  expect(factory.informer(things, { color: ({ color }) => color })).toBe(first);
  const late = factory.informer({ ...things, plural: "others" });
  await late.waitForSync();
  stop.abort();
  await factory.stopped();
});

test("managed fields are not cached, unless a custom transform keeps them", async () => {
  const managedFields = [{ manager: "m", operation: "Update", fieldsV1: { "f:color": {} } }];
  server.put(path, { metadata: { name: "x", namespace: "a", managedFields }, color: "red" });
  const { informer: plain, done } = follow();
  const { informer: keeping, done: alsoDone } = follow({ transform: (object) => object });
  await Promise.all([plain.waitForSync(), keeping.waitForSync()]);
  expect(plain.lister.byKey("a/x")).toMatchObject({ color: "red" });
  expect(plain.lister.byKey("a/x")?.metadata).not.toHaveProperty("managedFields");
  expect(keeping.lister.byKey("a/x")?.metadata.managedFields).toEqual(managedFields);
  stop.abort();
  await Promise.all([done, alsoDone]);
});

test("objects that are alike share their parts, listed and watched, over pages, and before and after a change", async () => {
  const ownerReferences = [{ apiVersion: "v1", kind: "Set", name: "s", uid: "u", controller: true }];
  const putPart = (name: string, color: string): unknown =>
    server.put(path, {
      metadata: { name, namespace: "a", ownerReferences },
      color,
      parts: { list: ["a part of all"] },
    });
  for (const name of ["x", "y", "z"]) putPart(name, "red");
  const { informer, log, done } = follow({ shareParts: true, pageSize: 1 });
  await informer.waitForSync();
  putPart("w", "red");
  putPart("y", "blue");
  await vi.waitFor(() => expect(log).toContain("update y red>blue"), { timeout: 20_000 });
  const found = ["w", "x", "y", "z"].map((name) => informer.lister.get("a", name) as unknown as { parts: object });
  expect(found.map(({ parts }) => parts)).toEqual(Array(4).fill({ list: ["a part of all"] }));
  expect(new Set(found.map(({ parts }) => parts)).size).toBe(1);
  stop.abort();
  await done;
});

test("what is not cached is dropped when a page arrives, not when the last one has", async () => {
  for (let i = 0; i < 5; i++) put(`x${i}`, "red");
  const pagesBefore: number[] = [];
  const pages = () => server.requests.filter(({ query }) => !query.has("watch")).length;
  const { informer, done } = follow({
    pageSize: 1,
    transform: (object) => {
      pagesBefore.push(pages());
      return object;
    },
  });
  await informer.waitForSync();
  expect(pagesBefore).toEqual([1, 2, 3, 4, 5]);
  stop.abort();
  await done;
});
