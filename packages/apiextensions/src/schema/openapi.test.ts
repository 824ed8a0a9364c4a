import { expect, test } from "vitest";
import type { JsonSchema } from "./json-schema.ts";
import { openApiOf } from "./openapi.ts";

const ref = ({ name }: { readonly name: string }): string => `#/${name}`;
const open = { "x-orchernetes-preserve-unknown-fields": true } as const;
const openInBoth = { ...open, "x-kubernetes-preserve-unknown-fields": true };
const embedded = { "x-orchernetes-embedded-resource": true } as const;
const union = { "x-orchernetes-int-or-string": true } as const;
const text = { type: "string" };

function shown(schema: JsonSchema, version: 2 | 3): unknown {
  const { properties } = openApiOf({ type: "object", properties: { a: schema } }, version, ref);
  return (properties as { readonly a: unknown }).a;
}

test("version 2 says nothing about a kind that keeps unknown fields", () => {
  const root: JsonSchema = { type: "object", description: "D", properties: { a: text }, required: ["a"], ...open };
  expect(openApiOf(root, 2, ref)).toEqual({ type: "object" });
  expect(openApiOf(root, 3, ref)).toMatchObject({
    type: "object",
    description: "D",
    required: ["a"],
    properties: { a: text, kind: {}, apiVersion: {}, metadata: { allOf: [{ $ref: "#/ObjectMeta" }] } },
    ...openInBoth,
  });
});

test("a kind without properties has those of every object", () => {
  for (const version of [2, 3] as const) {
    const { properties } = openApiOf({ type: "object" }, version, ref);
    expect(Object.keys(properties as object)).toEqual(["apiVersion", "kind", "metadata"]);
  }
});

test.each<readonly [string, JsonSchema, unknown]>([
  [
    "an object that keeps unknown fields",
    { type: "object", description: "D", properties: { b: text }, ...open },
    { description: "D", ...openInBoth },
  ],
  [
    "a map that keeps unknown fields",
    { type: "object", additionalProperties: text, ...open },
    { additionalProperties: text, ...openInBoth },
  ],
  ["a list whose items may be anything", { type: "array", items: open }, { type: "array", items: openInBoth }],
  ["a list that keeps unknown fields", { type: "array", items: text, ...open }, openInBoth],
  ["an object that may be null", { type: "object", properties: { b: text }, nullable: true }, {}],
  ["a list that may be null", { type: "array", items: text, maxItems: 3, nullable: true }, { maxItems: 3 }],
  [
    "a required member that may be null",
    { type: "object", properties: { b: { ...text, nullable: true }, c: text }, required: ["b", "c"] },
    { type: "object", properties: { b: {}, c: text }, required: ["c"] },
  ],
  [
    "the only required member, which may be null",
    { type: "object", properties: { b: { ...text, nullable: true } }, required: ["b"] },
    { type: "object", properties: { b: {} } },
  ],
  [
    "a map whose values may be null",
    { type: "object", additionalProperties: { ...text, nullable: true }, required: ["b"] },
    { type: "object", additionalProperties: {} },
  ],
  [
    "alternatives",
    { ...text, anyOf: [{ minLength: 1 }], not: { enum: ["b"] }, default: "c" },
    { ...text, default: "c" },
  ],
  [
    "a number or text",
    { ...union, anyOf: [{ type: "integer" }, text] },
    { ...union, "x-kubernetes-int-or-string": true },
  ],
  [
    "an embedded object that keeps unknown fields",
    { type: "object", ...embedded, ...open },
    { ...embedded, "x-kubernetes-embedded-resource": true, ...openInBoth },
  ],
])("version 2 of %s", (_, schema, want) => {
  expect(shown(schema, 2)).toEqual(want);
});

test.each([2, 3] as const)("an embedded object has what every object has in version %d", (version) => {
  const schema: JsonSchema = { type: "object", required: ["kind"], properties: { b: text }, ...embedded };
  expect(shown(schema, version)).toMatchObject({
    type: "object",
    required: ["kind", "apiVersion"],
    properties: { b: text, kind: {}, apiVersion: {}, metadata: {} },
  });
});

test("an embedded object that keeps unknown fields has what every object has in version 3", () => {
  expect(shown({ type: "object", ...embedded, ...open }, 3)).toMatchObject({
    required: ["kind", "apiVersion"],
    properties: { kind: {}, apiVersion: {}, metadata: {} },
  });
});

const types = [{ type: "integer" }, text];

test.each<readonly [JsonSchema, object]>([
  [union, { anyOf: types }],
  [{ ...union, anyOf: types }, { anyOf: types }],
  [{ ...union, allOf: [{ anyOf: types }] }, { allOf: [{ anyOf: types }] }],
  [
    { ...union, anyOf: [{ pattern: "^a" }] },
    { anyOf: [{ pattern: "^a" }], allOf: [{ anyOf: types }] },
  ],
])("version 3 names the types of a number or text: %j", (schema, want) => {
  expect(shown(schema, 3)).toEqual({ ...want, ...union, "x-kubernetes-int-or-string": true });
});
