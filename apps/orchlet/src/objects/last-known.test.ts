import { ApiError, forbidden, notFound, serviceUnavailable } from "@orchernetes/apimachinery";
import { createClient } from "@orchernetes/client";
import { type FakeApiServer, startFakeApiServer } from "@orchernetes/client/testing";
import { systemClock } from "@orchernetes/kernel";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createFetchingSource } from "./fetching-source.ts";
import { createLastKnown, isNoAnswer } from "./last-known.ts";
import { createObjectReaders } from "./object-reader.ts";

let api: FakeApiServer;
beforeEach(async () => {
  api = await startFakeApiServer();
});
afterEach(() => api.close());

/** A clock in which the other seconds pass at once. */
function steps() {
  let ms = 0;
  const pass = (by: number): void => {
    ms += by;
  };
  return { clock: { ...systemClock, monotonicMs: () => ms }, pass };
}
const pods = { group: "", plural: "configmaps" };
const fails = (error: Error) => () => Promise.reject(error);

test.each([
  ["an overloaded server", serviceUnavailable("busy"), true],
  ["a server that refuses", forbidden(pods, "m", "no"), false],
  ["a server that has no such object", notFound(pods, "m"), false],
  ["anything else", new Error("malformed"), false],
])("%s", async (_, error, away) => {
  expect(isNoAnswer(error)).toBe(away);
  const { clock } = steps();
  const last = createLastKnown(clock);
  await last.read("u1", "k", async () => "old");
  const again = last.read("u1", "k", fails(error));
  if (away) expect(await again).toBe("old");
  else {
    await expect(again).rejects.toBe(error);
    await expect(last.read("u1", "k", fails(serviceUnavailable("busy")))).rejects.toBeInstanceOf(ApiError);
  }
});

test("when the server is available again, the new object is read", async () => {
  const { clock, pass } = steps();
  const last = createLastKnown(clock);
  await last.read("u1", "k", async () => "old");
  await last.read("u1", "k", fails(serviceUnavailable("busy")));
  pass(10_001);
  expect(await last.read("u1", "k", async () => "new")).toBe("new");
});

test("an entry that only one pod has read is dropped with the pod", async () => {
  const { clock } = steps();
  const last = createLastKnown(clock);
  await last.read("u1", "mine", async () => 1);
  await last.read("u1", "ours", async () => 2);
  await last.read("u2", "ours", async () => 2);
  last.forget("u1");
  const away = fails(serviceUnavailable("busy"));
  await expect(last.read("u3", "mine", away)).rejects.toThrow();
  expect(await last.read("u2", "ours", away)).toBe(2);
});

test("while the server hangs or is unavailable, pods can read ConfigMaps and Secrets that they have read before", async () => {
  const client = createClient({ server: api.url });
  api.put("/api/v1/configmaps", { metadata: { name: "m", namespace: "ns" }, data: { key: "value" } });
  const { clock, pass } = steps();
  const readers = createObjectReaders(
    createFetchingSource(client, clock, () => 0),
    createLastKnown(clock),
  );
  const read = async (uid: string) => (await readers.of(uid).configMap("ns", "m"))?.data;
  expect(await read("u1")).toEqual({ key: "value" });
  api.hook = () => "hang";
  pass(1000);
  const began = Date.now();
  expect(await read("u1")).toEqual({ key: "value" });
  expect(Date.now() - began).toBeLessThan(10_000);
  api.hook = () => "drop";
  pass(60_000);
  expect(await read("u1")).toEqual({ key: "value" });
  readers.forget("u1");
  pass(60_000);
  await expect(read("u1")).rejects.toThrow();
  client.close();
}, 30_000);
