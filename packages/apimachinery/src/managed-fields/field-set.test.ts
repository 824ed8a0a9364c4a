import { describe, expect, test } from "vitest";
import {
  compareElements,
  difference,
  equalSets,
  type FieldSet,
  hasChildren,
  intersection,
  isFieldSet,
  isMember,
  pathSet,
  pathsOf,
  recursiveDifference,
  union,
  unionOfAll,
} from "./field-set.ts";

const set = (text: string): FieldSet => JSON.parse(text) as FieldSet;

/** Sets as texts: [a, b, union, a without b, a without b and below, both]. */
const operations = [
  ["nothing and something", "{}", '{"f:a":{}}', '{"f:a":{}}', "{}", "{}", undefined],
  ["the same", '{"f:a":{}}', '{"f:a":{}}', '{"f:a":{}}', "{}", "{}", '{"f:a":{}}'],
  ["siblings", '{"f:b":{}}', '{"f:a":{}}', '{"f:a":{},"f:b":{}}', '{"f:b":{}}', '{"f:b":{}}', undefined],
  [
    "a parent and its child",
    '{"f:a":{"f:b":{}}}',
    '{"f:a":{}}',
    '{"f:a":{".":{},"f:b":{}}}',
    '{"f:a":{"f:b":{}}}',
    "{}",
    undefined,
  ],
  [
    "a child and its parent",
    '{"f:a":{}}',
    '{"f:a":{"f:b":{}}}',
    '{"f:a":{".":{},"f:b":{}}}',
    '{"f:a":{}}',
    '{"f:a":{}}',
    undefined,
  ],
  [
    "a parent with a child, and the child",
    '{"f:a":{".":{},"f:b":{}}}',
    '{"f:a":{"f:b":{}}}',
    '{"f:a":{".":{},"f:b":{}}}',
    '{"f:a":{}}',
    '{"f:a":{}}',
    '{"f:a":{"f:b":{}}}',
  ],
  [
    "a parent with a child, and the parent",
    '{"f:a":{".":{},"f:b":{}}}',
    '{"f:a":{".":{}}}',
    '{"f:a":{".":{},"f:b":{}}}',
    '{"f:a":{"f:b":{}}}',
    "{}",
    '{"f:a":{}}',
  ],
  [
    "list items",
    '{"f:l":{"k:{\\"p\\":443}":{".":{},"f:x":{}}}}',
    '{"f:l":{"k:{\\"p\\":80}":{}}}',
    '{"f:l":{"k:{\\"p\\":80}":{},"k:{\\"p\\":443}":{".":{},"f:x":{}}}}',
    '{"f:l":{"k:{\\"p\\":443}":{".":{},"f:x":{}}}}',
    '{"f:l":{"k:{\\"p\\":443}":{".":{},"f:x":{}}}}',
    undefined,
  ],
] as const;

describe("operations", () => {
  test.each(operations)("%s", (_name, a, b, both, without, below, common) => {
    expect(JSON.stringify(union(set(a), set(b)))).toBe(both);
    expect(JSON.stringify(unionOfAll([set(a), set(b), set(a)]))).toBe(both);
    expect(JSON.stringify(difference(set(a), set(b)))).toBe(without);
    expect(JSON.stringify(recursiveDifference(set(a), set(b)))).toBe(below);
    expect(JSON.stringify(intersection(set(a), set(b)))).toBe(common);
    expect(equalSets(set(a), set(b))).toBe(a === b);
    expect(equalSets(union(set(a), set(b)), union(set(b), set(a)))).toBe(true);
  });

  test("an operation that changes nothing returns the same set", () => {
    const a = set('{"f:a":{".":{},"f:b":{}},"f:c":{}}');
    expect(difference(a, set('{"f:x":{},"f:a":{"f:x":{}}}'))).toBe(a);
  });
});

test.each([
  ["{}", true, false],
  ['{".":{}}', true, false],
  ['{"f:a":{}}', false, true],
  ['{".":{},"f:a":{}}', true, true],
  ['{"__proto__":{"f:a":{}}}', true, false],
])("a node %s", (text, member, children) => {
  expect(isMember(set(text))).toBe(member);
  expect(hasChildren(set(text))).toBe(children);
});

test("names such as __proto__ do not change the prototype", () => {
  const hostile = set('{"__proto__":{"polluted":{}},"f:__proto__":{"f:a":{}}}');
  const out = union(hostile, set('{"f:b":{}}'));
  expect(JSON.stringify(out)).toBe('{"f:__proto__":{"f:a":{}},"f:b":{}}');
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  expect(Object.getPrototypeOf(out)).toBe(Object.prototype);
});

test.each([
  ["f:a", "f:b", -1],
  ["f:z", 'k:{"a":1}', -1],
  ['k:{"p":80}', 'k:{"p":443}', -1],
  ['k:{"p":80,"q":"UDP"}', 'k:{"p":80,"q":"TCP"}', 1],
  ['v:"a"', "i:0", -1],
  ["f:10", "f:9", -1],
  ["i:10", "i:9", 1],
])("%s before or after %s", (a, b, sign) => {
  expect(Math.sign(compareElements(a, b))).toBe(sign);
  expect(Math.sign(compareElements(b, a))).toBe(-sign);
});

test("messages list paths level by level", () => {
  const fields = set(
    '{"f:spec":{"f:l":{"k:{\\"n\\":\\"a\\",\\"p\\":80}":{".":{},"f:x":{}},"v:\\"s\\"":{},"i:3":{}},"f:b":{}},"f:a":{}}',
  );
  expect(pathsOf(fields)).toEqual([
    ".a",
    ".spec.b",
    '.spec.l[n="a",p=80]',
    '.spec.l[="s"]',
    ".spec.l[3]",
    '.spec.l[n="a",p=80].x',
  ]);
});

test("a set has one path", () => {
  expect(pathSet("f:spec", "f:replicas")).toEqual({ "f:spec": { "f:replicas": {} } });
});

test.each([
  [{}, true],
  [{ "f:a": { ".": {} } }, true],
  [{ "f:a": 1 }, false],
  [{ "f:a": null }, false],
  [[], false],
  ["f:a", false],
  [null, false],
])("%j as a set: %s", (value, want) => {
  expect(isFieldSet(value)).toBe(want);
});
