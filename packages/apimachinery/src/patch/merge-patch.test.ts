import { expect, test } from "vitest";
import { ApiError } from "../status/api-error.ts";
import { applyMergePatch } from "./merge-patch.ts";

// The examples of RFC 7386, appendix A, whose patch is an object.
test.each<[unknown, unknown, unknown]>([
  [{ a: "b" }, { a: "c" }, { a: "c" }],
  [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
  [{ a: "b" }, { a: null }, {}],
  [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
  [{ a: ["b"] }, { a: "c" }, { a: "c" }],
  [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
  [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
  [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: "b", c: null }, { a: "b" }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
])("%j + %j", (doc, patch, want) => {
  const before = structuredClone(doc);
  expect(applyMergePatch(doc, patch)).toEqual(want);
  expect(doc).toEqual(before);
});

test.each([[null], [[]], ["x"], [1]])("%j is no patch", (patch) => {
  expect(() => applyMergePatch({}, patch)).toThrow(ApiError);
});

test("prototype names are data", () => {
  const patch: unknown = JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}');
  expect(Object.keys(applyMergePatch({}, patch))).toEqual(["__proto__", "constructor"]);
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});
