import {
  bool,
  int64,
  intOrString,
  json,
  list,
  mapOf,
  message,
  ObjectMeta,
  object,
  optional,
  type ResourceDefinition,
  type Schema,
  string,
} from "@orchernetes/apimachinery";

/** The parts of OpenAPI schemas that are used here. */
interface Shape {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
  readonly additionalProperties?: Shape;
  readonly [more: string]: unknown;
}

const group = "slow.example.com";
const text: Shape = { type: "string" };
const preserve = { "x-orchernetes-preserve-unknown-fields": true } as const;

/** A schema with every kind of check and default that structural schemas have, for values that can be long. */
const rich: Shape = {
  type: "object",
  properties: {
    patterns: {
      type: "array",
      items: { type: "string", pattern: "^([a-z0-9]+([-.][a-z0-9]+)*)+$", maxLength: 4_000_000 },
    },
    pattern: { type: "string", pattern: "(a|a)*b|^(\\w+\\s?)*$" },
    format: { type: "string", format: "date-time" },
    address: { type: "string", format: "ipv6" },
    mail: { type: "string", format: "email" },
    url: { type: "string", format: "uri" },
    bytes: { type: "string", format: "byte" },
    span: { type: "string", format: "duration" },
    choice: { type: "string", enum: Array.from({ length: 200 }, (_, i) => `choice-${i}`) },
    set: { type: "array", items: text, "x-orchernetes-list-type": "set" },
    objects: {
      type: "array",
      items: {
        type: "object",
        properties: {
          a: { type: "string", default: "a" },
          b: { type: "integer", default: 1 },
          c: { type: "object", default: { d: {} }, ...preserve },
        },
      },
    },
    keyed: {
      type: "array",
      "x-orchernetes-list-type": "map",
      "x-orchernetes-list-map-keys": ["name", "port"],
      items: {
        type: "object",
        required: ["name"],
        properties: { name: text, port: { type: "integer", default: 80 }, on: { type: "boolean", default: true } },
      },
    },
    unique: { type: "array", items: { type: "object", properties: { a: text } } },
    wide: {
      type: "object",
      additionalProperties: { type: "object", properties: { v: { type: "string", default: "x" }, w: text } },
    },
    lists: { type: "array", items: { type: "array", items: { type: "integer", minimum: 3, multipleOf: 7 } } },
    either: {
      type: "object",
      properties: { a: text, b: text },
      oneOf: [{ required: ["a"] }, { required: ["b"] }],
      maxProperties: 1,
    },
    alternatives: {
      type: "array",
      items: {
        type: "object",
        properties: { a: text, b: text },
        anyOf: Array.from({ length: 20 }, (_, i) => ({ properties: { a: { enum: [`a${i}`] } } })),
      },
    },
    quantity: {
      "x-orchernetes-int-or-string": true,
      anyOf: [{ type: "integer" }, { type: "string" }],
      pattern:
        "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$",
    },
    embedded: { type: "object", "x-orchernetes-embedded-resource": true, ...preserve },
    embeddeds: { type: "array", items: { type: "object", "x-orchernetes-embedded-resource": true, ...preserve } },
    anything: { type: "object", ...preserve },
  },
};

const loose: Shape = { type: "object", ...preserve };

const shapes: Readonly<Record<string, Shape>> = { Rich: rich, Loose: loose };

/** The schema, as precise as growing values requires. */
function schemaOf(name: string, shape: Shape): Schema {
  if (shape["x-orchernetes-int-or-string"] === true) return intOrString;
  switch (shape.type) {
    case "string":
      return string;
    case "integer":
      return int64;
    case "boolean":
      return bool;
    case "array":
      return list(schemaOf(name, shape.items ?? {}));
    case "object": {
      const { properties, additionalProperties } = shape;
      if (additionalProperties !== undefined) return mapOf(schemaOf(name, additionalProperties));
      if (properties === undefined) return json;
      const fields = Object.entries(properties);
      return message(group, name, () =>
        Object.fromEntries(fields.map(([key, value]) => [key, optional(0, schemaOf(`${name}_${key}`, value))])),
      );
    }
    default:
      return json;
  }
}

/** Custom kinds for slow inputs: one with every kind of rule, and one that accepts anything. */
export const customKinds: readonly ResourceDefinition[] = Object.entries(shapes).map(
  ([kind, shape]) =>
    ({
      group,
      version: "v1",
      kind,
      plural: `${kind.toLowerCase()}s`,
      singular: kind.toLowerCase(),
      scope: "Namespaced",
      schema: object(group, kind, () => ({
        metadata: optional(0, ObjectMeta),
        spec: optional(0, schemaOf(kind, shape)),
        status: optional(0, schemaOf(`${kind}Status`, loose)),
      })),
      subresources: { status: { type: "status" } },
    }) as unknown as ResourceDefinition,
);

/** The CustomResourceDefinitions for {@link customKinds}. */
export function customDefinitions(): readonly object[] {
  return Object.entries(shapes).map(([kind, spec]) => {
    const singular = kind.toLowerCase();
    const plural = `${singular}s`;
    const schema = { openAPIV3Schema: { type: "object", properties: { spec, status: loose } } };
    return {
      kind: "CustomResourceDefinition",
      apiVersion: "apiextensions.o8s.io/v1",
      metadata: { name: `${plural}.${group}` },
      spec: {
        group,
        scope: "Namespaced",
        names: { plural, singular, kind, listKind: `${kind}List` },
        versions: [{ name: "v1", served: true, storage: true, schema, subresources: { status: {} } }],
      },
    };
  });
}
