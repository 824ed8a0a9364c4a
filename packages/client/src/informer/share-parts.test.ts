import type { ApiObject, Stored } from "@orchernetes/apimachinery";
import { expect, test } from "vitest";
import { createSharing, shareParts } from "./share-parts.ts";

const copy = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

const spec = { containers: [{ name: "c", args: ["a", "b"], env: [] }], tolerations: [{ key: "k" }], nodeName: "n1" };

test("equal values become the same value", () => {
  expect(shareParts(spec, copy(spec))).toBe(spec);
});

test("equal parts become the same parts, and the others stay as they are", () => {
  const other = { ...copy(spec), nodeName: "n2" };
  const shared = shareParts(spec, other) as typeof spec;
  expect(shared).toEqual({ ...spec, nodeName: "n2" });
  expect(shared).not.toBe(spec);
  expect([shared.containers, shared.tolerations]).toEqual([spec.containers, spec.tolerations]);
  expect(shared.containers).toBe(spec.containers);
  expect(shared.tolerations).toBe(spec.tolerations);
});

test.each<[string, unknown, unknown]>([
  ["a member more", { a: 1, b: [1] }, { a: 1, b: [1], c: 2 }],
  ["a member less", { a: 1, b: [1], c: 2 }, { a: 1, b: [1] }],
  ["an item more", [1, { a: [1] }], [1, { a: [1] }, 2]],
  ["an item less", [1, { a: [1] }, 2], [1, { a: [1] }]],
  ["another order", [1, 2], [2, 1]],
  ["null", { a: {} }, { a: null }],
  ["a list for an object", { a: {} }, { a: [] }],
  ["an object for a list", { a: [] }, { a: {} }],
  ["another type", { a: "1" }, { a: 1 }],
  ["names of members of every object", { a: {} }, { constructor: "x", toString: {}, a: {} }],
  ["nothing in common", "text", { a: 1 }],
])("%s is kept", (_, model, fresh) => {
  const [modelBefore, freshBefore] = [copy(model), copy(fresh)];
  expect(shareParts(model, fresh)).toEqual(freshBefore);
  expect(model).toEqual(modelBefore);
});

test("a member __proto__ changes no prototype", () => {
  const fresh: unknown = JSON.parse('{"a": {"__proto__": {}, "b": 1}}');
  const shared = shareParts({ a: { b: 1 } }, fresh);
  expect(JSON.stringify(shared)).toBe('{"a":{"__proto__":{},"b":1}}');
  expect(Object.getPrototypeOf((shared as { a: object }).a)).toBe(Object.prototype);
});

test("values of any depth can be shared", () => {
  const deep = (levels: number): unknown => {
    let value: unknown = "end";
    for (let i = 0; i < levels; i++) value = [value];
    return value;
  };
  expect(shareParts(deep(20), deep(20))).toEqual(deep(20));
  expect(() => shareParts(deep(50_000), deep(50_000))).not.toThrow();
});

test("objects share with their cached version, or with one of the same controller", () => {
  const share = createSharing<ApiObject & { readonly spec: typeof spec }>();
  const object = (name: string, uid?: string): Stored<ApiObject & { readonly spec: typeof spec }> => ({
    metadata: {
      name,
      uid: name,
      resourceVersion: "1",
      creationTimestamp: "2024-01-01T00:00:00Z",
      ...(uid === undefined
        ? {}
        : { ownerReferences: [{ apiVersion: "v1", kind: "Set", name: "s", uid, controller: true }] }),
    },
    spec: copy(spec),
  });
  const first = share(object("a", "u1"), undefined);
  const second = share(object("b", "u1"), undefined);
  const other = share(object("c", "u2"), undefined);
  expect(second.spec).toBe(first.spec);
  expect(second.metadata).toMatchObject({ name: "b", uid: "b" });
  expect(second.metadata.ownerReferences).toBe(first.metadata.ownerReferences);
  expect(other.spec).not.toBe(first.spec);
  const changed = { ...object("c", "u2"), spec: { ...copy(spec), nodeName: "n2" } };
  expect(share(changed, other).spec.containers).toBe(other.spec.containers);
  expect(share(object("e"), share(object("d"), undefined)).spec).toEqual(spec);
});
