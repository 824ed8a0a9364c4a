import { expect, test } from "vitest";
import { applyDefaults } from "./defaults.ts";
import type { JsonSchema } from "./json-schema.ts";
import { Pruner } from "./prune.ts";
import { structuralOf } from "./structural.ts";

const text: JsonSchema = { type: "string" };
const preserve = { "x-orchernetes-preserve-unknown-fields": true };
const of = (properties: Readonly<Record<string, JsonSchema>>, more: JsonSchema = {}): JsonSchema => ({
  type: "object",
  properties,
  ...more,
});

const cases: readonly (readonly [string, JsonSchema, unknown, unknown, readonly string[]])[] = [
  ["unknown members go", of({ a: text }), { b: 1, a: "x" }, { a: "x" }, ["b"]],
  [
    "and those of others, with their path",
    of({ a: { type: "array", items: of({}) } }),
    { a: [{}, { x: 1 }] },
    { a: [{}, {}] },
    ["a[1].x"],
  ],
  ["everything stays where anything goes", of({}, preserve), { z: { b: 1, a: null } }, { z: { a: null, b: 1 } }, []],
  ["but for what is specified there", of({ a: of({}) }, preserve), { a: { x: 1 }, b: 2 }, { a: {}, b: 2 }, ["a.x"]],
  [
    "maps keep their members",
    { type: "object", additionalProperties: of({ n: text }) },
    { k: { n: "1", m: "2" } },
    { k: { n: "1" } },
    ["k.m"],
  ],
  ["nulls that may not be go", of({ a: text, b: { ...text, nullable: true } }), { a: null, b: null }, { b: null }, []],
  ["nulls with a default wait for it", of({ a: { ...text, default: "x" } }), { a: null }, { a: null }, []],
  [
    "embedded objects keep what objects have",
    of({ t: of({ spec: of({}) }, { "x-orchernetes-embedded-resource": true }) }),
    { t: { apiVersion: "v1", kind: "Pod", metadata: { name: "p", odd: 1 }, spec: { x: 1 }, more: 1 } },
    { t: { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec: {} } },
    ["t.metadata.odd", "t.more", "t.spec.x"],
  ],
  ["a member named __proto__ is one like others", of({}), JSON.parse('{"__proto__":{"a":1}}'), {}, ["__proto__"]],
];

test.each(cases)("%s", (_, schema, given, want, dropped) => {
  const unknown: string[] = [];
  const before = JSON.stringify(given);
  const pruned = new Pruner({ onUnknown: (path) => unknown.push(path()) }).prune(given, structuralOf(schema));
  expect(JSON.stringify(pruned)).toBe(JSON.stringify(want));
  expect(unknown).toEqual(dropped);
  expect(JSON.stringify(given)).toBe(before);
});

const nested = of({ on: { type: "boolean", default: true } }, { default: {} });
const defaulted: readonly (readonly [string, JsonSchema, unknown, unknown])[] = [
  ["absent members get theirs", of({ a: { ...text, default: "x" } }), {}, { a: "x" }],
  ["present ones do not", of({ a: { ...text, default: "x" } }), { a: "" }, { a: "" }],
  ["forbidden nulls do", of({ a: { ...text, default: "x" } }), { a: null }, { a: "x" }],
  ["allowed nulls do not", of({ a: { ...text, default: "x", nullable: true } }), { a: null }, { a: null }],
  ["defaults are completed by others", of({ nested }), {}, { nested: { on: true } }],
  [
    "items of lists, too",
    { type: "array", items: nested },
    [{}, { on: false }, null],
    [{ on: true }, { on: false }, { on: true }],
  ],
  [
    "and members of maps",
    { type: "object", additionalProperties: nested },
    { k: {}, l: null },
    { k: { on: true }, l: { on: true } },
  ],
];

test.each(defaulted)("%s", (_, schema, given, want) => {
  const structural = structuralOf(schema);
  applyDefaults(given, structural);
  expect(given).toEqual(want);
  applyDefaults(given, structural);
  expect(given).toEqual(want);
});

test("defaults are not shared between objects", () => {
  const structural = structuralOf(of({ nested }));
  const [a, b] = [{}, {}] as { nested?: { on?: boolean } }[];
  applyDefaults(a, structural);
  applyDefaults(b, structural);
  if (a?.nested) a.nested.on = false;
  expect(b?.nested?.on).toBe(true);
});
