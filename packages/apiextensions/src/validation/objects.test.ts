import { type FieldError, field } from "@orchernetes/apimachinery";
import { expect, test } from "vitest";
import type { JsonSchema } from "../schema/json-schema.ts";
import { structuralOf } from "../schema/structural.ts";
import { embeddedErrors } from "./embedded.ts";
import { duplicateItems } from "./lists.ts";

const text = (errors: readonly FieldError[]) => errors.map((error) => `${error.field}: ${error.message}`);
const of = (property: JsonSchema): JsonSchema => ({ type: "object", properties: { p: property } });
const set: JsonSchema = { type: "array", "x-orchernetes-list-type": "set", items: { type: "string" } };
const map: JsonSchema = {
  type: "array",
  "x-orchernetes-list-type": "map",
  "x-orchernetes-list-map-keys": ["name", "port"],
  items: { type: "object", properties: { name: { type: "string" }, port: { type: "integer" }, inner: set } },
};

const lists: readonly (readonly [string, JsonSchema, unknown, readonly string[]])[] = [
  ["sets without duplicates", set, ["a", "b"], []],
  ["each duplicate of a set is reported once", set, ["a", "b", "a", "a"], ['p[2]: Duplicate value: "a"']],
  ["atomic lists may repeat themselves", { type: "array", items: { type: "string" } }, ["a", "a"], []],
  [
    "maps by all of their keys",
    map,
    [
      { name: "a", port: 1 },
      { name: "a", port: 2 },
    ],
    [],
  ],
  [
    "duplicates in maps",
    map,
    [
      { name: "a", port: 1 },
      { port: 1, name: "a" },
    ],
    ['p[1]: Duplicate value: map[string]interface {}{"name":"a", "port":1}'],
  ],
  ["lists within items", map, [{ name: "a", port: 1, inner: ["x", "x"] }], ['p[0].inner[1]: Duplicate value: "x"']],
  ["values of another type", set, "a", []],
];

test.each(lists)("%s", (_, schema, value, want) => {
  expect(text(duplicateItems({ p: value }, structuralOf(of(schema)), field("")))).toEqual(want);
});

const embedded: JsonSchema = {
  type: "object",
  "x-orchernetes-embedded-resource": true,
  "x-orchernetes-preserve-unknown-fields": true,
};

const objects: readonly (readonly [string, unknown, readonly string[]])[] = [
  ["an object", { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "a" } }, []],
  ["without a name", { apiVersion: "v1", kind: "Pod", metadata: {} }, []],
  [
    "without type",
    { metadata: { name: "a" } },
    ["p.apiVersion: Required value: must not be empty", "p.kind: Required value: must not be empty"],
  ],
  [
    "of no version",
    { apiVersion: "a/b/c", kind: "Pod" },
    ['p.apiVersion: Invalid value: "a/b/c": must be a group and version such as apps/v1'],
  ],
  [
    "of no kind",
    { apiVersion: "v1", kind: "no kind" },
    [expect.stringContaining('p.kind: Invalid value: "no kind": may have mixed case')],
  ],
  [
    "with a label that is none",
    { apiVersion: "v1", kind: "Pod", metadata: { labels: { "a b": "c" } } },
    [expect.stringContaining('p.metadata.labels: Invalid value: "a b"')],
  ],
];

test.each(objects)("an embedded object: %s", (_, value, want) => {
  expect(text(embeddedErrors({ p: value }, structuralOf(of(embedded)), field("")))).toEqual(want);
});
