import { core } from "@orchernetes/api";
import { type Client, createClient } from "@orchernetes/client";
import { type FakeApiServer, startFakeApiServer } from "@orchernetes/client/testing";
import { FakeClock, silentLogger } from "@orchernetes/kernel";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createFetchingSource } from "./fetching-source.ts";
import type { ObjectSource } from "./object-source.ts";
import { createWatchingSource } from "./watching-source.ts";

const maps = "/api/v1/configmaps";
let api: FakeApiServer;
let client: Client;
const stop = new AbortController();
beforeEach(async () => {
  api = await startFakeApiServer();
  client = createClient({ server: api.url });
  put("1");
});
afterEach(async () => {
  client.close();
  await api.close();
});

const put = (value: string, more: object = {}) =>
  api.put(maps, { metadata: { name: "m", namespace: "ns" }, data: { value }, ...more });
const reads = () =>
  api.requests.filter(({ method, path }) => method === "GET" && path.endsWith("/configmaps/m")).length;
const valueFor = async (source: ObjectSource, podUid = "u1"): Promise<string | undefined> => {
  const wanted = { ref: core.configMaps, namespace: "ns", name: "m", podUid };
  return (await source.find<core.ConfigMap>(wanted))?.data?.value;
};

// shows: configMapAndSecretChangeDetectionStrategy
test("Get sends a request for each read, and concurrent reads share a request", async () => {
  const source = createFetchingSource(client, new FakeClock(), () => 0);
  expect(await Promise.all([valueFor(source), valueFor(source), valueFor(source, "u2")])).toEqual(["1", "1", "1"]);
  expect(reads()).toBe(1);
  put("2");
  expect(await valueFor(source)).toBe("2");
  expect(reads()).toBe(2);
});

// shows: configMapAndSecretChangeDetectionStrategy
test("Cache reuses an object for its time to live, but not for a pod that needs it for the first time", async () => {
  const clock = new FakeClock();
  const source = createFetchingSource(client, clock, () => 60_000);
  expect(await valueFor(source)).toBe("1");
  put("2");
  await clock.advance(59_000);
  expect([await valueFor(source), reads()]).toEqual(["1", 1]);
  expect([await valueFor(source, "u2"), reads()]).toEqual(["2", 2]);
  expect([await valueFor(source), reads()]).toEqual(["2", 2]);
  put("3");
  await clock.advance(60_000);
  expect([await valueFor(source), reads()]).toEqual(["3", 3]);
  source.forget("u1");
  expect([await valueFor(source), reads()]).toEqual(["3", 4]);
});

test("Cache sends another request after an error", async () => {
  const source = createFetchingSource(client, new FakeClock(), () => 60_000);
  api.hook = () => "drop";
  await expect(valueFor(source)).rejects.toThrow();
  api.hook = undefined;
  expect(await valueFor(source)).toBe("1");
});

// shows: configMapAndSecretChangeDetectionStrategy
test("Watch reads an object once, sees changes and deletions without requests, and keeps the object while the server is unavailable", async () => {
  const source = createWatchingSource(client, silentLogger, stop.signal);
  expect(await valueFor(source)).toBe("1");
  const before = api.requests.length;
  put("2");
  await expect.poll(() => valueFor(source)).toBe("2");
  expect(api.requests.length - before).toBeLessThanOrEqual(1);
  api.hook = () => "drop";
  expect(await valueFor(source)).toBe("2");
  api.hook = undefined;
  api.remove(maps, "ns/m");
  await expect.poll(() => valueFor(source)).toBe(undefined);
});

test("Watch ends when no pod needs the object, and starts again when one does", async () => {
  const source = createWatchingSource(client, silentLogger, stop.signal);
  await valueFor(source);
  await valueFor(source, "u2");
  source.forget("u1");
  put("2");
  await expect.poll(() => valueFor(source, "u2")).toBe("2");
  source.forget("u2");
  put("3");
  expect(await valueFor(source, "u3")).toBe("3");
});

test("an immutable object is not watched", async () => {
  put("1", { immutable: true });
  const source = createWatchingSource(client, silentLogger, stop.signal);
  expect(await valueFor(source)).toBe("1");
  const before = api.requests.length;
  api.endWatches();
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(await valueFor(source)).toBe("1");
  expect(api.requests.length).toBe(before);
});

test("Watch reports why an object cannot be read", async () => {
  const message = 'configmaps "m" is forbidden';
  const body = { kind: "Status", apiVersion: "v1", status: "Failure", code: 403, reason: "Forbidden", message };
  api.hook = () => ({ status: 403, body });
  const source = createWatchingSource(client, silentLogger, stop.signal);
  await expect(valueFor(source)).rejects.toThrow("is forbidden");
});
