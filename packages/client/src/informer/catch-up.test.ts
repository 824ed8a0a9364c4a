import type { ApiObject } from "@orchernetes/apimachinery";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Client, createClient, createInformer, type ResourceRef } from "../index.ts";
import { type FakeApiServer, type SeenRequest, startFakeApiServer } from "../testing/index.ts";

const things: ResourceRef<ApiObject> = {
  group: "",
  version: "v1",
  plural: "things",
  kind: "Thing",
  scope: "Namespaced",
};
const path = "/api/v1/things";

let server: FakeApiServer;
let client: Client;
let stop: AbortController;
beforeEach(async () => {
  server = await startFakeApiServer();
  client = createClient({ server: server.url });
  stop = new AbortController();
});
afterEach(async () => {
  stop.abort();
  client.close();
  await server.close();
});

async function following() {
  const informer = createInformer(client, things);
  const log: string[] = [];
  informer.addHandler({
    onAdd: ({ metadata }) => void log.push(`add ${metadata.name}`),
    onUpdate: ({ metadata }) => void log.push(`update ${metadata.name}`),
    onDelete: ({ metadata }) => void log.push(`delete ${metadata.name}`),
  });
  void informer.run(stop.signal);
  await informer.waitForSync();
  return { informer, log };
}
const put = (name: string) => server.put(path, { metadata: { name, namespace: "a" } });
const isProbe = ({ query }: SeenRequest): boolean => query.get("limit") === "1";
const lists = () => server.requests.filter((request) => !request.query.has("watch") && !isProbe(request)).length;

test("a cache that caught up has what was written before, and its handlers know it", async () => {
  const { informer, log } = await following();
  for (let i = 0; i < 20; i++) {
    put(`x${i}`);
    await informer.catchUp(stop.signal);
    expect(log).toHaveLength(i + 1);
  }
});

test("a watch that reports nothing is replaced by a list, which finds what the watch has missed", async () => {
  put("gone");
  server.hook = ({ query }) => (query.has("watch") ? "hang" : undefined);
  const { informer, log } = await following();
  put("new");
  server.remove(path, "a/gone");
  await informer.catchUp(stop.signal);
  expect(log).toEqual(["add gone", "delete gone", "add new"]);
  expect(lists()).toBe(2);
}, 20_000);

test("a resource that does not change is listed again once, and no handler is called", async () => {
  put("x");
  const { informer, log } = await following();
  server.put("/api/v1/others", { metadata: { name: "o", namespace: "a" } });
  await informer.catchUp(stop.signal);
  expect([log, lists()]).toEqual([["add x"], 2]);
  put("y");
  await informer.catchUp(stop.signal);
  expect([log, lists()]).toEqual([["add x", "add y"], 2]);
}, 20_000);

test("a version that cannot be read is asked for again", async () => {
  const { informer } = await following();
  let refused = 0;
  server.hook = (request) => (isProbe(request) && refused++ < 1 ? { status: 500, body: "broken" } : undefined);
  await informer.catchUp(stop.signal);
  expect(refused).toBe(2);
}, 20_000);

test("waiting ends with the reason of the signal", async () => {
  const { informer } = await following();
  server.hook = (request) => (isProbe(request) ? "hang" : undefined);
  const end = new AbortController();
  const waiting = informer.catchUp(end.signal);
  end.abort(new Error("enough"));
  await expect(waiting).rejects.toThrow("enough");
});
