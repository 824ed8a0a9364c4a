import type { ResourceDefinition } from "@orchernetes/apimachinery";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startServer, type TestServer } from "./harness.ts";
import { boxes, toys } from "./toy.ts";

let server: TestServer;
beforeAll(async () => {
  const erase = (definition: unknown) => definition as ResourceDefinition;
  server = await startServer({ definitions: [erase(toys)], unservedDefinitions: [erase(boxes)] });
});
afterAll(() => server.stop());

test("a resource that is switched off has no path, no entry in discovery and no cache", async () => {
  expect((await server.call("GET", "/apis/toys.example.com/v1/boxes")).status).toBe(404);
  const { body } = await server.call("GET", "/apis/toys.example.com/v1");
  expect(JSON.stringify(body)).not.toContain("boxes");
  expect(server.server.storages().map(({ definition }) => definition.plural)).toEqual(["toys"]);
  expect(server.server.registry.lookup("toys.example.com", "v1", "boxes")).toBeUndefined();
});

test("the server's own parts can still use it", async () => {
  const store = server.server.registry.forDefinition(boxes);
  const created = await store.create({ metadata: { name: "b" } } as Parameters<typeof store.create>[0]);
  expect((await store.get({ namespace: "", name: "b" })).metadata.uid).toBe(created.metadata.uid);
  expect(server.server.registry.forDefinition(boxes)).toBe(store);
  expect((await server.call("GET", "/apis/toys.example.com/v1/boxes/b")).status).toBe(404);
});
