import { describe, expect, test } from "vitest";
import { escapeFieldValue, fieldSelectorOf, parseFieldSelector } from "./field-selector.ts";
import { SelectorError } from "./requirement.ts";

test.each<[string, readonly [string, string, string][]]>([
  ["", []],
  [",,", []],
  ["a=b", [["a", "=", "b"]]],
  ["a==b", [["a", "=", "b"]]],
  ["a!=b", [["a", "!=", "b"]]],
  ["a=", [["a", "=", ""]]],
  ["=a", [["", "=", "a"]]],
  // The order is that of the terms, whatever the order in the text.
  [
    "b=1,a=2",
    [
      ["a", "=", "2"],
      ["b", "=", "1"],
    ],
  ],
  // The first operator counts.
  ["a=b!c", [["a", "=", "b!c"]]],
  // Blanks are part of names and values.
  [" a = b ", [[" a ", "=", " b "]]],
  ["a=x\\,y\\=z\\\\", [["a", "=", "x,y=z\\"]]],
  ["metadata.name=ünï", [["metadata.name", "=", "ünï"]]],
])("the field selector %j is read", (text, want) => {
  expect(parseFieldSelector(text).requirements.map(({ field, op, value }) => [field, op, value])).toEqual(want);
  expect(parseFieldSelector(text).empty).toBe(want.length === 0);
});

test.each([
  ["a", "invalid selector: 'a'; can't understand 'a'"],
  ["x=1,a", "invalid selector: 'x=1,a'; can't understand 'a'"],
  ["a=b=c", "invalid field selector: unescaped character in value: 61"],
  ["a=b\\c", "invalid field selector: invalid escape sequence: \\c"],
  ["a=b\\", "invalid field selector: invalid escape sequence: \\"],
])("the field selector %j is refused", (text, message) => {
  expect(() => parseFieldSelector(text)).toThrow(new SelectorError(message));
});

describe("matching", () => {
  test.each<[string, Readonly<Record<string, string>>, boolean]>([
    ["", {}, true],
    ["a=1", { a: "1" }, true],
    ["a=1", { a: "2" }, false],
    ["a!=1", { a: "2" }, true],
    ["a!=1", { a: "1" }, false],
    // An absent field is the empty text.
    ["a=", {}, true],
    ["a!=", {}, false],
    ["a!=1", {}, true],
    ["a=1,b=2", { a: "1", b: "2" }, true],
    ["a=1,b=2", { a: "1", b: "3" }, false],
    // What every object inherits is no field.
    ["constructor=", {}, true],
    ["__proto__=", {}, true],
  ])("%j selects %j: %s", (text, fields, want) => {
    expect(parseFieldSelector(text).matches(fields)).toBe(want);
  });
});

test("the value that a field must equal is known, but not from an inequality", () => {
  const selector = parseFieldSelector("metadata.name=x,spec.nodeName!=y,status.phase=");
  expect(selector.exact("metadata.name")).toBe("x");
  expect(selector.exact("spec.nodeName")).toBeUndefined();
  expect(selector.exact("status.phase")).toBe("");
  expect(selector.exact("metadata.namespace")).toBeUndefined();
});

test.each(["", "plain", "a,b", "a=b", "\\", "\\,", "a\\=,=b\\\\", "ü,=\\", "!=", "=="])(
  "the value %j survives being written and read",
  (value) => {
    const selector = fieldSelectorOf([{ field: "a", op: "!=", value }]);
    expect(String(selector)).toBe(`a!=${escapeFieldValue(value)}`);
    expect(parseFieldSelector(String(selector)).requirements).toEqual(selector.requirements);
  },
);
