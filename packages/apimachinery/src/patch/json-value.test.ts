import { expect, test } from "vitest";
import { cloneJson } from "./json-value.ts";

test.each([
  '{"a":{"b":[1,{"c":null},[true,"x"]],"d":{}},"e":[]}',
  '{"__proto__":{"a":[{"__proto__":1}]},"constructor":{"prototype":2}}',
  "[[],{}]",
  '"text"',
  "null",
])("a copy of %s is equal and shares nothing", (text) => {
  const value: unknown = JSON.parse(text);
  const copy = cloneJson(value);
  expect(JSON.stringify(copy)).toBe(text);
  expect(containersOf(copy).filter((one) => containersOf(value).includes(one))).toEqual([]);
});

test("a copy of an object with the key __proto__ has the usual prototype", () => {
  const copy = cloneJson(JSON.parse('{"__proto__":{"a":1}}')) as object;
  expect([Object.getPrototypeOf(copy), Object.keys(copy)]).toEqual([Object.prototype, ["__proto__"]]);
});

/** All objects and lists in a value. */
function containersOf(value: unknown): readonly object[] {
  if (typeof value !== "object" || value === null) return [];
  return [value, ...Object.values(value).flatMap(containersOf)];
}
