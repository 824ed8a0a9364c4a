import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startServer, type TestServer } from "./harness.ts";
import { type Toy, toys } from "./toy.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

/** Reports the changes of toys: the type, and the object as the follower decodes it. */
function follow(signal: AbortSignal) {
  const seen: (readonly [string, Toy])[] = [];
  server.server.registry
    .forDefinition(toys)
    .follow({ onEvent: ({ type, object }) => void seen.push([type, object]) }, signal);
  return seen;
}

const path = "/apis/toys.example.com/v1/namespaces/a/toys";
const labels = { a: "1", b: "2" };

test("a follower gets each version of an object that this server writes, as a read of it shows it", async () => {
  const controller = new AbortController();
  const seen = follow(controller.signal);
  const want: (readonly [string, Toy])[] = [];
  // More objects than are kept decoded, each written twice at once.
  const names = Array.from({ length: 40 }, (_, i) => `toy-${i}`);
  await Promise.all(
    names.map(async (name) => {
      const created = await server.call("POST", path, { metadata: { name, labels }, spec: { size: 3 } });
      expect(created.status).toBe(201);
      const changed = { ...created.body, spec: { ...created.body.spec, color: "blue" } };
      const updated = await server.call("PUT", `${path}/${name}`, changed);
      expect(updated.status).toBe(200);
      want.push(["ADDED", created.body], ["MODIFIED", updated.body]);
    }),
  );
  await vi.waitFor(() => expect(seen.length).toBe(want.length));
  const byVersion = (changes: typeof seen) =>
    changes.toSorted(([, a], [, b]) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion));
  expect(byVersion(seen)).toEqual(byVersion(want));
  controller.abort();
});

test("a change of a draft does not show in the stored object that it was made from", async () => {
  const store = server.server.registry.forDefinition(toys);
  const ref = { namespace: "a", name: "kept" };
  await server.call("POST", path, { metadata: { name: ref.name, labels }, spec: { tags: ["x"] } });
  const failed = store.update(ref, (draft) => {
    draft.spec.tags?.push("y");
    draft.metadata.labels = { ...draft.metadata.labels, c: "3" };
    throw new Error("on purpose");
  });
  await expect(failed).rejects.toThrow("on purpose");
  expect(store.cached(ref)).toMatchObject({ metadata: { labels }, spec: { tags: ["x"] } });
  expect((await store.update(ref, (draft) => void draft.spec.tags?.push("z"))).spec.tags).toEqual(["x", "z"]);
  expect((await store.get(ref)).spec.tags).toEqual(["x", "z"]);
});
