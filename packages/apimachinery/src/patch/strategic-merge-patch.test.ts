import { expect, test } from "vitest";
import * as s from "../schema/index.ts";
import { ApiError } from "../status/api-error.ts";
import type { JsonObject } from "./json-value.ts";
import { applyStrategicMergePatch } from "./strategic-merge-patch.ts";

const pkg = "example/v1";
const Port = s.message(pkg, "Port", () => ({ number: s.required(1, s.int32), name: s.optional(2, s.string) }));
const Item = s.message(pkg, "Item", () => ({
  name: s.required(1, s.string),
  image: s.optional(2, s.string),
  args: s.optional(3, s.list(s.string)),
  ports: s.optional(4, s.list(Port), { patch: "merge", mergeKey: "number" }),
}));
const Source = s.message(pkg, "Source", () => ({ a: s.pointer(1, s.string), b: s.pointer(2, s.string) }));
const Thing: s.MessageSchema = s.message(pkg, "Thing", () => ({
  items: s.optional(1, s.list(Item), { patch: "merge", mergeKey: "name" }),
  atomic: s.optional(2, s.list(Item)),
  tags: s.optional(3, s.list(s.string), { patch: "merge" }),
  labels: s.optional(4, s.mapOf(s.string)),
  source: s.pointer(5, Source, { patch: "retainKeys" }),
  whole: s.pointer(6, Source, { patch: "replace" }),
  keyless: s.optional(7, s.list(Item), { patch: "merge" }),
  raw: s.optional(8, s.raw),
}));

const a = { name: "a", image: "a:1", args: ["x"], ports: [{ number: 80, name: "web" }] };
const b = { name: "b", image: "b:1" };

test.each<[string, JsonObject, JsonObject, JsonObject]>([
  [
    "items merge by key",
    { items: [a, b] },
    { items: [{ name: "b", image: "b:2" }] },
    { items: [a, { name: "b", image: "b:2" }] },
  ],
  ["new items go first", { items: [a] }, { items: [{ name: "n" }] }, { items: [{ name: "n" }, a] }],
  ["items are deleted", { items: [a, b] }, { items: [{ $patch: "delete", name: "a" }] }, { items: [b] }],
  [
    "the list is replaced",
    { items: [a, b] },
    { items: [{ $patch: "replace" }, { name: "z" }] },
    { items: [{ name: "z" }] },
  ],
  [
    "an item is replaced",
    { items: [a] },
    { items: [{ name: "a", ports: [{ $patch: "replace" }] }] },
    { items: [{ ...a, ports: [] }] },
  ],
  [
    "merge is the default",
    { items: [a] },
    { items: [{ $patch: "merge", name: "a", image: "z" }] },
    { items: [{ ...a, image: "z" }] },
  ],
  [
    "nested lists merge",
    { items: [a] },
    { items: [{ name: "a", ports: [{ number: 81 }] }] },
    { items: [{ ...a, ports: [{ number: 81 }, ...a.ports] }] },
  ],
  [
    "plain lists are replaced",
    { items: [a] },
    { items: [{ name: "a", args: ["y"] }] },
    { items: [{ ...a, args: ["y"] }] },
  ],
  ["lists without strategy are replaced", { atomic: [a] }, { atomic: [b] }, { atomic: [b] }],
  ["sets merge without doubles", { tags: ["x", "y"] }, { tags: ["y", "z"] }, { tags: ["x", "y", "z"] }],
  ["sets lose members", { tags: ["x", "y", "z"] }, { "$deleteFromPrimitiveList/tags": ["x", "z"] }, { tags: ["y"] }],
  ["sets lose and gain", { tags: ["x"] }, { "$deleteFromPrimitiveList/tags": ["x"], tags: ["y"] }, { tags: ["y"] }],
  [
    "null removes",
    { items: [a], labels: { x: "1", y: "2" } },
    { items: null, labels: { x: null } },
    { labels: { y: "2" } },
  ],
  ["nulls of new maps are dropped", {}, { labels: { x: null, y: "2" } }, { labels: { y: "2" } }],
  ["maps are replaced", { labels: { x: "1" } }, { labels: { $patch: "replace", y: "2" } }, { labels: { y: "2" } }],
  ["maps are emptied", { labels: { x: "1" } }, { labels: { $patch: "delete" } }, { labels: {} }],
  ["deleting what is not there adds nothing", {}, { labels: { $patch: "delete" } }, {}],
  ["keys are retained", { source: { a: "1" } }, { source: { $retainKeys: ["b"], b: "2" } }, { source: { b: "2" } }],
  ["structs with replace", { whole: { a: "1" } }, { whole: { b: "2" } }, { whole: { b: "2" } }],
  ["structs merge", { source: { a: "1" } }, { source: { b: "2" } }, { source: { a: "1", b: "2" } }],
  [
    "raw maps merge, raw lists are replaced",
    { raw: { m: { x: 1 }, l: [1] } },
    { raw: { m: { y: 2 }, l: [2] } },
    { raw: { m: { x: 1, y: 2 }, l: [2] } },
  ],
  [
    "order of existing items",
    { items: [a, b] },
    { "$setElementOrder/items": [{ name: "b" }, { name: "a" }] },
    { items: [b, a] },
  ],
  [
    "order with new items",
    { items: [a, b] },
    { "$setElementOrder/items": [{ name: "b" }, { name: "n" }, { name: "a" }], items: [{ name: "n" }] },
    { items: [b, { name: "n" }, a] },
  ],
  [
    "items only the server has stay before their successor",
    { items: [b, { name: "s" }, a] },
    { "$setElementOrder/items": [{ name: "b" }, { name: "a" }], items: [{ name: "a", image: "z" }] },
    { items: [b, { name: "s" }, { ...a, image: "z" }] },
  ],
  [
    "order of sets",
    { tags: ["x", "y"] },
    { "$setElementOrder/tags": ["z", "y", "x"], tags: ["z"] },
    { tags: ["z", "y", "x"] },
  ],
  [
    "order of a new list",
    {},
    { "$setElementOrder/items": [{ name: "a" }], items: [{ name: "a" }] },
    { items: [{ name: "a" }] },
  ],
  ["order of nothing", {}, { "$setElementOrder/items": [{ name: "a" }] }, {}],
  [
    "new lists are taken as they come",
    {},
    {
      items: [
        {
          name: "p",
          ports: [
            { number: 53, name: "t" },
            { number: 53, name: "u" },
          ],
        },
      ],
    },
    {
      items: [
        {
          name: "p",
          ports: [
            { number: 53, name: "t" },
            { number: 53, name: "u" },
          ],
        },
      ],
    },
  ],
  [
    "new content carries no directives",
    {},
    { items: [{ name: "p", "$setElementOrder/ports": [], ports: [{ $patch: "delete", number: 1 }] }] },
    { items: [{ name: "p", ports: [] }] },
  ],
  ["unknown members are merged as they are", { other: { x: 1 } }, { other: { y: 2 } }, { other: { x: 1, y: 2 } }],
])("%s", (_, doc, patch, want) => {
  const before = structuredClone(doc);
  const patchBefore = structuredClone(patch);
  expect(applyStrategicMergePatch(Thing, doc, patch)).toEqual(want);
  expect(doc).toEqual(before);
  expect(patch).toEqual(patchBefore);
});

test.each<[string, JsonObject, unknown, number, string]>([
  ["a list", {}, [], 400, "invalid strategic merge patch format"],
  ["null", {}, null, 400, "invalid strategic merge patch format"],
  [
    "unknown directive",
    { labels: {} },
    { labels: { $patch: "explode" } },
    400,
    "unknown patch type: explode in map: map[$patch:explode]",
  ],
  [
    "unknown directive in an item",
    { items: [a] },
    { items: [{ $patch: "explode", name: "a" }] },
    400,
    "unknown patch type: explode in map: map[$patch:explode name:a]",
  ],
  [
    "no merge key",
    { items: [a] },
    { items: [{ image: "x" }] },
    400,
    "map: map[image:x] does not contain declared merge key: name",
  ],
  [
    "no merge key to delete",
    { items: [a] },
    { items: [{ $patch: "delete" }] },
    400,
    "does not contain declared merge key: name",
  ],
  ["list without merge key", { keyless: [a] }, { keyless: [b] }, 400, "cannot merge lists without merge key for Item"],
  ["mixed types", { items: [a] }, { items: ["x"] }, 400, "list element types are not identical"],
  ["lists of lists", { tags: [["x"]] }, { tags: [["y"]] }, 422, "lists of lists are not supported"],
  ["odd retainKeys", {}, { $retainKeys: "x" }, 400, "invalid patch format of retainKeys"],
  ["content beyond retainKeys", {}, { $retainKeys: ["a"], b: "1" }, 422, "patch content doesn't match retainKeys list"],
  ["odd order", {}, { "$setElementOrder/items": "x" }, 400, "invalid patch format of setElementOrder list"],
  [
    "order that does not fit",
    { items: [a] },
    { "$setElementOrder/items": [{ name: "a" }], items: [{ name: "zzz", image: "x" }] },
    400,
    "The order in patch list:\n[map[image:x name:zzz]]\n doesn't match $setElementOrder list:\n[map[name:a]]\n",
  ],
  [
    "odd deletion",
    { tags: ["x"] },
    { "$deleteFromPrimitiveList/tags": [{}] },
    400,
    "invalid patch format of primitive list",
  ],
])("refuses %s", (_, doc, patch, code, message) => {
  let error: unknown;
  try {
    applyStrategicMergePatch(Thing, doc, patch);
  } catch (caught) {
    error = caught;
  }
  expect(error).toBeInstanceOf(ApiError);
  expect((error as ApiError).code).toBe(code);
  expect((error as ApiError).message).toContain(message);
});

test("prototype names are data", () => {
  const patch: unknown = JSON.parse('{"labels":{"__proto__":"x"},"__proto__":{"polluted":true}}');
  const patched = applyStrategicMergePatch(Thing, { labels: { a: "b" } }, patch);
  expect(Object.keys(patched)).toEqual(["labels", "__proto__"]);
  expect(Object.keys(patched.labels as object)).toEqual(["a", "__proto__"]);
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});

test("objects as merge keys are compared by value, in linear time", () => {
  const item = (i: number, image: string) => ({ name: { a: i, b: [i] }, image });
  const items = Array.from({ length: 60_000 }, (_, i) => item(i, "x"));
  const again = { items: [{ name: { b: [1], a: 1 }, image: "y" }, item(70_000, "y"), item(70_000, "z")] };
  const live = applyStrategicMergePatch(Thing, {}, { items });
  const patched = applyStrategicMergePatch(Thing, live, { items: [...items, ...again.items] });
  expect(patched.items).toHaveLength(60_001);
  expect((patched.items as unknown[])[1]).toEqual(item(1, "y"));
});
