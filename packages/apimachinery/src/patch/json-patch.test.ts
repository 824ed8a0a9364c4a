import { expect, test } from "vitest";
import { ApiError } from "../status/api-error.ts";
import { applyJsonPatch, maxJsonPatchOperations } from "./json-patch.ts";

const doc = () => ({ a: { b: [1, 2, 3] }, "x/y~z": 1, list: [{ k: "v" }], nul: null });

test.each<[string, unknown[], unknown]>([
  ["nothing", [], doc()],
  ["add member", [{ op: "add", path: "/n", value: { m: 1 } }], { ...doc(), n: { m: 1 } }],
  ["add replaces", [{ op: "add", path: "/a", value: null }], { ...doc(), a: null }],
  ["add inserts", [{ op: "add", path: "/a/b/1", value: 9 }], { ...doc(), a: { b: [1, 9, 2, 3] } }],
  ["add at the end", [{ op: "add", path: "/a/b/3", value: 9 }], { ...doc(), a: { b: [1, 2, 3, 9] } }],
  ["add appends", [{ op: "add", path: "/a/b/-", value: 9 }], { ...doc(), a: { b: [1, 2, 3, 9] } }],
  ["add without a value", [{ op: "add", path: "/n" }], { ...doc(), n: null }],
  ["replace without a value", [{ op: "replace", path: "/a" }], { ...doc(), a: null }],
  ["remove item", [{ op: "remove", path: "/a/b/0" }], { ...doc(), a: { b: [2, 3] } }],
  ["escaped path", [{ op: "replace", path: "/x~1y~0z", value: 2 }], { ...doc(), "x/y~z": 2 }],
  ["replace creates a member", [{ op: "replace", path: "/n", value: 2 }], { ...doc(), n: 2 }],
  ["move", [{ op: "move", from: "/a/b", path: "/c" }], { ...doc(), a: {}, c: [1, 2, 3] }],
  [
    "copy is deep",
    [
      { op: "copy", from: "/list", path: "/c" },
      { op: "add", path: "/c/0/k", value: 2 },
    ],
    { ...doc(), c: [{ k: 2 }] },
  ],
  ["test passes", [{ op: "test", path: "/a", value: { b: [1, 2, 3] } }], doc()],
  ["test null", [{ op: "test", path: "/nul", value: null }], doc()],
  ["test absent is null", [{ op: "test", path: "/none", value: null }], doc()],
  ["whole document", [{ op: "replace", path: "", value: { z: 1 } }], { z: 1 }],
  [
    "prototype names",
    [{ op: "add", path: "/__proto__", value: { polluted: true } }],
    Object.defineProperty(doc(), "__proto__", { value: { polluted: true }, enumerable: true }),
  ],
])("%s", (_, operations, want) => {
  const before = doc();
  expect(JSON.stringify(applyJsonPatch(before, operations))).toBe(JSON.stringify(want));
  expect(before).toEqual(doc());
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});

test.each<[string, unknown, number, string]>([
  ["no list", {}, 400, "cannot unmarshal object"],
  ["no operation", [1], 400, "operation 0: want an object"],
  ["no op", [{ path: "/a" }], 400, "op: want text"],
  ["no path", [{ op: "add", value: 1 }], 400, "path: want a JSON pointer"],
  ["relative path", [{ op: "add", path: "a", value: 1 }], 400, 'found "a"'],
  ["no from", [{ op: "move", path: "/a" }], 400, "from: want a JSON pointer"],
  ["unknown op", [{ op: "explode", path: "/a" }], 422, "explode"],
  [
    "remove missing",
    [{ op: "remove", path: "/none" }],
    422,
    "the server rejected our request due to an error in our request",
  ],
  ["remove inherited", [{ op: "remove", path: "/constructor" }], 422, "nonexistent key"],
  ["remove all", [{ op: "remove", path: "" }], 422, "whole document"],
  ["missing parent", [{ op: "add", path: "/none/x", value: 1 }], 422, "missing path"],
  ["parent is null", [{ op: "add", path: "/nul/x", value: 1 }], 422, "missing path"],
  ["parent through prototype", [{ op: "add", path: "/constructor/prototype/polluted", value: 1 }], 422, "missing path"],
  ["index beyond", [{ op: "add", path: "/a/b/4", value: 1 }], 422, "invalid index"],
  ["odd index", [{ op: "replace", path: "/a/b/01", value: 1 }], 422, "missing"],
  ["negative index", [{ op: "remove", path: "/a/b/-9" }], 422, "invalid index"],
  ["test fails", [{ op: "test", path: "/a", value: {} }], 422, "test failed"],
  ["into itself", [{ op: "move", from: "/a", path: "/a/b/c" }], 422, "into itself"],
  ["copy missing", [{ op: "copy", from: "/none", path: "/x" }], 422, "missing"],
  [
    "too many",
    Array(maxJsonPatchOperations + 1).fill({ op: "test", path: "/nul" }),
    413,
    "allowed maximum operations in a JSON patch is 10000, got 10001",
  ],
  ["copy bomb", Array(100).fill({ op: "copy", from: "/a", path: "/a/b/-" }), 422, "exceeding the limit"],
  ["long path", [{ op: "add", path: "/a".repeat(100_000), value: 1 }], 422, "more than 1000 steps"],
])("%s is refused", (_, operations, code, message) => {
  let error: unknown;
  try {
    applyJsonPatch(doc(), operations);
  } catch (caught) {
    error = caught;
  }
  expect(error).toBeInstanceOf(ApiError);
  expect((error as ApiError).code).toBe(code);
  expect((error as ApiError).message).toContain(message);
});

test("documents cannot be made deep", () => {
  const nest = (depth: number) => JSON.parse(`${'{"a":'.repeat(depth)}{}${"}".repeat(depth)}`) as unknown;
  const operations = [
    { op: "replace", path: "", value: nest(900) },
    { op: "add", path: "/a".repeat(900), value: nest(900) },
  ];
  expect(() => applyJsonPatch({}, operations)).toThrow("nests deeper than 1000 levels");
});
