import { expect, test } from "vitest";
import { typeName } from "../language/types.ts";
import { type DeclarableSchema, type Declaration, declare, maxRequestBytes } from "./declaration.ts";

const declared = (schema: DeclarableSchema, root = false): Declaration => {
  const found = declare(schema, "t", root);
  if (found === undefined) throw new Error("expected a declaration");
  return found;
};

const text: DeclarableSchema = { type: "string" };
const number: DeclarableSchema = { type: "integer" };
const object = (properties: Readonly<Record<string, DeclarableSchema>>, required: readonly string[] = []) =>
  ({ type: "object", properties, required }) satisfies DeclarableSchema;
const request = 3 * 1024 * 1024;
const most = request - 2;

test("a request has 3 MiB at most", () => {
  expect(maxRequestBytes).toBe(request);
});

// The sizes are those of Kubernetes' SchemaDeclType, by which it estimates costs.
test.each<readonly [string, DeclarableSchema, string, number, number]>([
  ["a boolean", { type: "boolean" }, "bool", 0, 4],
  ["an integer", number, "int", 0, 1],
  ["a number", { type: "number" }, "double", 0, 1],
  ["a text", text, "string", most, 2],
  ["a text of limited length: four bytes a character", { type: "string", maxLength: 10 }, "string", 40, 2],
  ["an empty text", { type: "string", maxLength: 0 }, "string", 0, 2],
  ["a negative length", { type: "string", maxLength: -3 }, "string", 0, 2],
  ["a choice", { type: "string", enum: ["a", "bcd", ""] }, "string", 3, 2],
  ["a choice counts bytes", { type: "string", enum: ["ä€"] }, "string", 5, 2],
  ["a choice with null", { type: "string", enum: ["a", null] }, "string", 1, 2],
  ["a choice of numbers by mistake", { type: "string", enum: [123456] }, "string", 0, 2],
  ["no choice", { type: "string", enum: [] }, "string", most, 2],
  ["a length goes before a choice", { type: "string", maxLength: 1, enum: ["abcdef"] }, "string", 4, 2],
  ["an unknown format", { type: "string", format: "email", maxLength: 2 }, "string", 8, 2],
  ["bytes", { type: "string", format: "byte" }, "bytes", most, 2],
  ["bytes of limited length", { type: "string", format: "byte", maxLength: 7 }, "bytes", 7, 2],
  ["bytes of negative length", { type: "string", format: "byte", maxLength: -7 }, "bytes", 0, 2],
  ["a duration", { type: "string", format: "duration", maxLength: 5 }, "google.protobuf.Duration", 32, 3],
  ["a date", { type: "string", format: "date" }, "google.protobuf.Timestamp", 12, 12],
  ["a time", { type: "string", format: "date-time" }, "google.protobuf.Timestamp", 32, 21],
  ["int-or-string", { "x-orchernetes-int-or-string": true }, "dyn", most, 1],
  ["int-or-string with a type", { type: "string", "x-orchernetes-int-or-string": true }, "dyn", most, 1],
  ["int-or-string of limited length", { "x-orchernetes-int-or-string": true, maxLength: 3 }, "dyn", 12, 1],
  ["a list", { type: "array", items: text }, "list(string)", Math.floor(most / 3), 2],
  ["a list of booleans", { type: "array", items: { type: "boolean" } }, "list(bool)", Math.floor(most / 5), 2],
  ["a list of limited length", { type: "array", items: text, maxItems: 4 }, "list(string)", 4, 2],
  ["a list of negative length", { type: "array", items: text, maxItems: -4 }, "list(string)", 0, 2],
  [
    "a list of lists",
    { type: "array", items: { type: "array", items: number } },
    "list(list(int))",
    Math.floor(most / 3),
    2,
  ],
  ["a map", { type: "object", additionalProperties: text }, "map(string, string)", Math.floor(most / 8), 2],
  ["a map of numbers", { type: "object", additionalProperties: number }, "map(string, int)", Math.floor(most / 7), 2],
  ["a limited map", { type: "object", additionalProperties: text, maxProperties: 9 }, "map(string, string)", 9, 2],
  ["an object", object({ a: number }), "t", 0, 2],
  ["a required property takes its name, quotes, colon and comma", object({ abc: number }, ["abc"]), "t", 0, 10],
  ["two of them", object({ a: number, b: text }, ["a", "b"]), "t", 0, 2 + 6 + 7],
  ["a required one that does not exist", object({ a: number }, ["z"]), "t", 0, 2],
  ["a required one with a default", object({ a: { ...number, default: 0 } }, ["a"]), "t", 0, 2],
  ["a required one whose default is null", object({ a: { ...number, default: null } }, ["a"]), "t", 0, 8],
  ["a required one without a type", object({ a: {} }, ["a"]), "t", 0, 2],
  ["a required one that cannot be selected still takes its bytes", object({ "1a": number }, ["1a"]), "t", 0, 9],
  ["additionalProperties true declares nothing", { type: "object", additionalProperties: true }, "t", 0, 2],
])("%s", (_, schema, type, maxElements, minSize) => {
  const { type: found, ...sizes } = declared(schema);
  expect({ type: typeName(found), maxElements: sizes.maxElements, minSize: sizes.minSize }).toEqual({
    type,
    maxElements,
    minSize,
  });
});

test.each<readonly [string, DeclarableSchema]>([
  ["no type", {}],
  ["an unknown type", { type: "null" }],
  ["a type in another case", { type: "String" }],
  ["a list without items", { type: "array" }],
  ["a list with items by position", { type: "array", items: [text, number] }],
  ["a list of anything", { type: "array", items: {} }],
  ["a map of anything", { type: "object", additionalProperties: {} }],
  ["a map of lists of anything", { type: "object", additionalProperties: { type: "array", items: {} } }],
  ["int-or-string that is false", { "x-orchernetes-int-or-string": false }],
])("%s is not declared", (_, schema) => {
  expect(declare(schema, "t", false)).toBeUndefined();
  expect([...(declared(object({ a: schema, b: number })).fields?.keys() ?? [])]).toEqual(["b"]);
});

test.each<readonly [string, string]>([
  ["a", "a"],
  ["a.b", "a__dot__b"],
  ["a-b", "a__dash__b"],
  ["a/b", "a__slash__b"],
  ["a__b", "a__underscores__b"],
  ["a___b", "a__underscores___b"],
  ["_a", "_a"],
  ["-", "__dash__"],
  ["namespace", "__namespace__"],
  ["in", "__in__"],
  ["while", "__while__"],
  ["Namespace", "Namespace"],
  ["self", "self"],
  ["constructor", "constructor"],
])("property %s is selected as %s", (name, escaped) => {
  const { fields, type } = declared(object({ [name]: number }));
  expect([...(fields ?? [])].map(([key, field]) => [key, field.name])).toEqual([[escaped, name]]);
  expect(type.kind === "object" && [...type.fields.keys()]).toEqual([escaped]);
});

test.each(["", "1a", "a b", "ä", "a:b", "$a", "a\n", "a+b", "\u0000"])("property %j cannot be selected", (name) => {
  expect(declared(object({ [name]: number })).fields?.size).toBe(0);
});

const identity = ["kind", "apiVersion", "metadata"];
const names = ({ fields }: Declaration): readonly string[] => [...(fields?.keys() ?? [])];

test.each<readonly [string, DeclarableSchema, boolean, readonly string[]]>([
  ["the root", object({ spec: text }), true, ["spec", ...identity]],
  ["a root without properties", { type: "object" }, true, identity],
  [
    "a root that restricts its metadata",
    object({ metadata: object({ labels: text }) }),
    true,
    ["metadata", ...identity.slice(0, 2)],
  ],
  ["a part", object({ spec: text }), false, ["spec"]],
])("the identity of an object can be read: %s", (_, schema, root, want) => {
  const found = declared(schema, root);
  expect(names(found).toSorted()).toEqual(want.toSorted());
  const metadata = found.fields?.get("metadata")?.declaration;
  if (root) expect(metadata && names(metadata)).toEqual(["name", "generateName"]);
});

test("embedded resources have an identity, in properties, lists and maps", () => {
  const embedded: DeclarableSchema = { type: "object", "x-orchernetes-embedded-resource": true };
  const { fields } = declared(
    object({
      one: embedded,
      list: { type: "array", items: embedded },
      map: { type: "object", additionalProperties: embedded },
    }),
  );
  const found = [
    fields?.get("one")?.declaration,
    fields?.get("list")?.declaration.element,
    fields?.get("map")?.declaration.element,
  ];
  for (const one of found) expect(one && names(one)).toEqual(identity);
});

test("types without a name are called by their place", () => {
  const { fields } = declared(
    object({
      a: object({ b: object({}) }),
      list: { type: "array", items: object({}) },
      map: { type: "object", additionalProperties: object({}) },
    }),
  );
  const name = (one: Declaration | undefined) => one && typeName(one.type);
  expect(name(fields?.get("a")?.declaration.fields?.get("b")?.declaration)).toBe("t.a.b");
  expect(name(fields?.get("list")?.declaration)).toBe("list(t.list.@idx)");
  expect(name(fields?.get("map")?.declaration)).toBe("map(string, t.map.@elem)");
});

test.each<readonly [string | undefined, readonly string[] | undefined, unknown]>([
  [undefined, undefined, { kind: "atomic" }],
  ["atomic", ["a"], { kind: "atomic" }],
  ["nonsense", undefined, { kind: "atomic" }],
  ["set", undefined, { kind: "set" }],
  ["map", ["a", "b"], { kind: "map", keys: ["a", "b"] }],
  ["map", undefined, { kind: "map", keys: [] }],
])("list type %s with keys %j", (listType, keys, want) => {
  const { order } = declared({
    type: "array",
    items: text,
    ...(listType === undefined ? {} : { "x-orchernetes-list-type": listType }),
    ...(keys === undefined ? {} : { "x-orchernetes-list-map-keys": keys }),
  });
  expect(order).toEqual(want);
});

test("keys of maps have no size that counts", () => {
  const { key } = declared({ type: "object", additionalProperties: number });
  expect(key).toMatchObject({ type: { kind: "string" }, maxElements: 0 });
});
