import { canonicalize, DecodeError, decodeProtobuf, decoderFor, encodeProtobuf } from "@orchernetes/apimachinery";
import { describe, expect, test } from "vitest";
import { CustomResourceDefinition } from "./custom-resource-definition.ts";

type Parsed = ReturnType<typeof JSON.parse>;

function withSchema(schema: object): Parsed {
  return {
    kind: "CustomResourceDefinition",
    apiVersion: "apiextensions.o8s.io/v1",
    metadata: { name: "a.example.com", creationTimestamp: null },
    spec: {
      group: "example.com",
      names: { plural: "a", kind: "A" },
      scope: "Cluster",
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
    status: { acceptedNames: { plural: "", kind: "" } },
  };
}

const schemaOf = (definition: Parsed) => definition.spec.versions[0].schema.openAPIV3Schema;

const nested = (depth: number): object =>
  depth === 0 ? { type: "string" } : { type: "object", properties: { a: nested(depth - 1) } };

describe.each([
  ["true", { additionalProperties: true }],
  ["false", { additionalProperties: false }],
  ["a schema", { additionalProperties: { type: "string" } }],
  ["one schema of items", { items: { type: "string" } }],
  ["schemas of items", { items: [{ type: "string" }, {}] }],
  ["property dependencies", { dependencies: { a: ["b", "c"], d: { type: "object" } } }],
  ["defaults of any kind", { default: { a: [1, null] }, enum: ["a", 1, null], example: false }],
  ["a deep schema", nested(60)],
])("%s", (_, schema) => {
  test("is unchanged", () => {
    expect(schemaOf(canonicalize(CustomResourceDefinition, withSchema(schema)))).toEqual(schema);
  });

  test("survives protobuf", () => {
    const given = canonicalize(CustomResourceDefinition, withSchema(schema));
    const read = decodeProtobuf(CustomResourceDefinition, encodeProtobuf(CustomResourceDefinition, given));
    expect(schemaOf(read)).toEqual(schema);
  });
});

test.each([
  [{ additionalProperties: "x" }, "a boolean or JSON schema"],
  [{ items: "x" }, "a JSON schema or a list of them"],
  [{ dependencies: { a: [1] } }, "a JSON schema or a list of strings"],
])("%j is rejected", (schema, words) => {
  expect(() => canonicalize(CustomResourceDefinition, withSchema(schema))).toThrow(DecodeError);
  expect(() => canonicalize(CustomResourceDefinition, withSchema(schema))).toThrow(words);
});

test("unknown fields are reported with their path, also within unions", () => {
  const unknown: string[] = [];
  const schema = { items: { odd: 1, items: { odd: 2 } }, "x-kubernetes-list-type": "set" };
  const decoded = decoderFor(CustomResourceDefinition).decode(withSchema(schema), {
    onUnknown: (at) => unknown.push(at),
  });
  const path = "spec.versions[0].schema.openAPIV3Schema";
  expect(unknown).toEqual([`${path}.items.odd`, `${path}.items.items.odd`]);
  expect(schemaOf(decoded)["x-orchernetes-list-type"]).toBe("set");
});

test("an error deep within nested unions is found quickly", () => {
  let items: object = { type: 1 };
  for (let i = 0; i < 150; i++) items = { items };
  expect(() => canonicalize(CustomResourceDefinition, withSchema(items))).toThrow("cannot unmarshal number");
});
