import { expect, test } from "vitest";
import { aggregate } from "../field-errors/field.ts";
import { escapeFieldValue, parseFieldSelector } from "./field-selector.ts";
import { formatLabelSelector, labelSelectorAsSelector, validateLabelSelector } from "./label-selector.ts";
import { parseLabelSelector } from "./parse-label-selector.ts";
import { SelectorError } from "./requirement.ts";
import { selectorFromSet } from "./selector.ts";

test.each<[string, Record<string, string> | undefined, boolean]>([
  ["", undefined, true],
  ["a=b", { a: "b" }, true],
  ["a==b", { a: "c" }, false],
  ["a!=b", undefined, true],
  ["a!=b", { a: "b" }, false],
  ["a", { a: "" }, true],
  ["!a", { a: "" }, false],
  ["! a", {}, true],
  ["a in (x,y)", { a: "y" }, true],
  ["a in (x,y)", {}, false],
  ["a notin (x)", {}, true],
  ["a notin (x)", { a: "x" }, false],
  ["a>1,a<3", { a: "2" }, true],
  ["a>1", { a: "one" }, false],
  ["a>1", {}, false],
  ["a=", { a: "" }, true],
  ["a in ()", { a: "" }, true],
  ["a in (b,)", { a: "" }, true],
  ["in in (in,notin)", { in: "notin" }, true],
  ["constructor", {}, false],
])("%j on %j", (text, labels, want) => {
  expect(parseLabelSelector(text).matches(labels)).toBe(want);
});

test.each([
  [" z = 1 , a ", "a,z=1"],
  ["b in (y,x,x),a notin (q)", "a notin (q),b in (x,y)"],
  ["a>1,b<2,!c,d!=e", "a>1,b<2,!c,d!=e"],
])("%j is written %j and means the same again", (text, want) => {
  const parsed = parseLabelSelector(text);
  expect(String(parsed)).toBe(want);
  expect(String(parseLabelSelector(String(parsed)))).toBe(want);
});

test.each([
  ["a==b==c", "found '==', expected: ',' or 'end of string'"],
  ["a in", "unable to parse requirement: found '' expected: '('"],
  ["a in (b", "unable to parse requirement: found '', expected: ',' or ')'"],
  ["!!a", "unable to parse requirement: found '!', expected: identifier"],
  ["a=b,", "found '', expected: identifier after ','"],
  ["=a", "found '=', expected: !, identifier, or 'end of string'"],
  ["a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
  ["a=b c", "found 'c', expected: ',' or 'end of string'"],
  ["a notin b", "unable to parse requirement: found 'b' expected: '('"],
  [
    "a>b",
    "unable to parse requirement: values[0]: Invalid value: \"b\": for 'Gt', 'Lt' operators, the value must be an integer",
  ],
])("%j is refused", (text, message) => {
  expect(() => parseLabelSelector(text)).toThrow(new SelectorError(message));
});

test("an absent selector selects nothing, an empty one everything", () => {
  expect(labelSelectorAsSelector(undefined).matches({ a: "b" })).toBe(false);
  expect(labelSelectorAsSelector({}).matches(undefined)).toBe(true);
  expect(labelSelectorAsSelector({}).empty).toBe(true);
  expect(labelSelectorAsSelector(undefined).empty).toBe(false);
});

test("labels and expressions must all hold", () => {
  const selector = labelSelectorAsSelector({
    matchLabels: { app: "web" },
    matchExpressions: [
      { key: "tier", operator: "In", values: ["b", "a"] },
      { key: "old", operator: "DoesNotExist" },
    ],
  });
  expect(String(selector)).toBe("app=web,!old,tier in (a,b)");
  expect(selector.matches({ app: "web", tier: "a" })).toBe(true);
  expect(selector.matches({ app: "web", tier: "a", old: "" })).toBe(false);
});

test.each([
  [undefined, "<none>"],
  [{}, "<none>"],
  [{ matchLabels: { b: "2", a: "1" } }, "a=1,b=2"],
  [{ matchLabels: { "bad key": "1" } }, "<error>"],
])("formats %j", (selector, want) => {
  expect(formatLabelSelector(selector)).toBe(want);
});

test.each<[string, Parameters<typeof validateLabelSelector>[0], string]>([
  [
    "in without values",
    { matchExpressions: [{ key: "a", operator: "In" }] },
    "s.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
  ],
  [
    "exists with values",
    { matchExpressions: [{ key: "a", operator: "Exists", values: ["b"] }] },
    "s.matchExpressions[0].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
  ],
  [
    "unknown operator",
    JSON.parse('{"matchExpressions":[{"key":"a","operator":"Near"}]}'),
    's.matchExpressions[0].operator: Invalid value: "Near": not a valid selector operator',
  ],
])("validation refuses %s", (_, selector, want) => {
  expect(aggregate(validateLabelSelector(selector, "s"))).toBe(want);
});

test("a set of labels selects exactly", () => {
  expect(selectorFromSet({ a: "1" }).matches({ a: "1", b: "2" })).toBe(true);
  expect(selectorFromSet({ a: "1" }).matches({})).toBe(false);
});

test.each([
  ["metadata.name=a,spec.x!=b", { "metadata.name": "a", "spec.x": "c" }, true],
  ["metadata.name==a", { "metadata.name": "b" }, false],
  ["a=", {}, true],
  ["a=x\\,y\\=z\\\\", { a: "x,y=z\\" }, true],
  [",,", {}, true],
  ["constructor=", {}, true],
])("field selector %j on %j", (text, fields, want) => {
  expect(parseFieldSelector(text).matches(fields)).toBe(want);
});

test.each([
  ["metadata.name", "invalid selector: 'metadata.name'; can't understand 'metadata.name'"],
  ["metadata.name==a=b", "invalid field selector: unescaped character in value: 61"],
  ["a=\\x", "invalid field selector: invalid escape sequence: \\x"],
  ["a=b\\", "invalid field selector: invalid escape sequence: \\"],
])("field selector %j is refused", (text, message) => {
  expect(() => parseFieldSelector(text)).toThrow(new SelectorError(message));
});

test.each(["", "plain", "a,b=c\\d", "\\\\,,=="])("field value %j survives escaping", (value) => {
  const selector = parseFieldSelector(`f=${escapeFieldValue(value)}`);
  expect(selector.exact("f")).toBe(value);
  expect(String(selector)).toBe(`f=${escapeFieldValue(value)}`);
});
