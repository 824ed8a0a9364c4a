import type { GroupVersionKind } from "../resource/group-version-kind.ts";
import type { Field, MessageSchema, ScalarKind, Schema } from "../schema/index.ts";
import { definitionName } from "./definition-name.ts";
import { type DocumentationSource, textsOf } from "./texts.ts";

/** A schema object of an OpenAPI document. */
export type OpenApiSchema = Readonly<Record<string, unknown>>;

/** The form of an OpenAPI definition. */
export interface OpenApiOptions {
  /** 2 for Swagger documents, 3 for OpenAPI 3.0. */
  readonly version: 2 | 3;
  /** Returns the reference to a message's definition. @default `#/definitions/NAME` or `#/components/schemas/NAME` */
  readonly ref?: (schema: MessageSchema) => string;
  /** The kinds as which this schema is served. */
  readonly groupVersionKinds?: readonly GroupVersionKind[];
  /** Source of descriptions of the type and its fields. @default only the common fields of objects are described */
  readonly documentation?: DocumentationSource;
  /** Whether fields list their known values. @default true */
  readonly enums?: boolean;
}

const scalars: Readonly<Record<ScalarKind, OpenApiSchema>> = {
  string: { type: "string" },
  bool: { type: "boolean" },
  int32: { type: "integer", format: "int32" },
  int64: { type: "integer", format: "int64" },
  uint32: { type: "integer", format: "int64" },
  double: { type: "number", format: "double" },
  number: { type: "number" },
  bytes: { type: "string", format: "byte" },
  quantity: { type: "string" },
  time: { type: "string", format: "date-time" },
  microTime: { type: "string", format: "date-time" },
  duration: { type: "string" },
  intOrString: { type: "string", format: "int-or-string" },
  raw: { type: "object" },
  json: {},
};

/** An extension under the project's name and under the name that stock clients read. */
function extension(name: string, value: unknown): Record<string, unknown> {
  return { [`x-orchernetes-${name}`]: value, [`x-kubernetes-${name}`]: value };
}

/**
 * The definition of one message. Messages that it contains are referred to, not included: see {@link
 * referencedMessages}.
 */
export function openApiDefinition(schema: MessageSchema, options: OpenApiOptions): OpenApiSchema {
  const texts = textsOf(schema, options.documentation);
  const kinds = options.groupVersionKinds ?? [];
  if (schema.custom !== undefined) {
    return {
      ...(texts[""] === undefined ? {} : { description: texts[""] }),
      ...schema.custom.openApi(options.version, options.ref ?? defaultRef(options.version)),
      ...(kinds.length === 0 ? {} : extension("group-version-kind", kinds)),
    };
  }
  const fields = Object.entries(schema.fields());
  const properties: Record<string, unknown> = {};
  for (const [name, field] of fields) {
    Object.defineProperty(properties, name, {
      value: property(field, texts[name], options),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  // Clients that validate objects with this document must accept the other spellings.
  for (const [alias, name] of Object.entries(schema.aliases ?? {})) properties[alias] = properties[name];
  const required = fields.filter(([, field]) => field.presence === "required").map(([name]) => name);
  return {
    ...(texts[""] === undefined ? {} : { description: texts[""] }),
    type: "object",
    ...(required.length === 0 ? {} : { required: required.sort() }),
    properties,
    ...(schema.atomic === true ? extension("map-type", "atomic") : {}),
    ...(kinds.length === 0 ? {} : extension("group-version-kind", kinds)),
  };
}

function property(field: Field, text: string | undefined, options: OpenApiOptions): OpenApiSchema {
  const isStruct = field.schema.kind === "message" || field.schema.kind === "map";
  const extras: Record<string, unknown> = {
    ...(text === undefined ? {} : { description: text }),
    ...(field.default === undefined ? {} : { default: field.default }),
    ...(field.list === undefined ? {} : extension("list-type", field.list)),
    ...(field.keys === undefined ? {} : extension("list-map-keys", field.keys)),
    ...(field.atomic !== undefined && isStruct ? extension("map-type", field.atomic ? "atomic" : "granular") : {}),
    ...(field.patch === undefined ? {} : extension("patch-strategy", field.patch)),
    ...(field.mergeKey === undefined ? {} : extension("patch-merge-key", field.mergeKey)),
    ...(field.nullable === true && options.version === 3 ? { nullable: true } : {}),
    ...(field.deprecated === true && options.version === 3 ? { deprecated: true } : {}),
  };
  const type = typeOf(field.schema, options);
  if ("$ref" in type && options.version === 3 && Object.keys(extras).length > 0) {
    // In OpenAPI 3.0 members beside $ref are ignored.
    return { ...extras, allOf: [type] };
  }
  return { ...extras, ...type };
}

function typeOf(schema: Schema, options: OpenApiOptions): OpenApiSchema {
  switch (schema.kind) {
    case "message":
      return { $ref: (options.ref ?? defaultRef(options.version))(schema) };
    case "list":
      return { type: "array", items: typeOf(schema.item, options) };
    case "map":
      return { type: "object", additionalProperties: typeOf(schema.value, options) };
    case "intOrString":
      return options.version === 2
        ? { ...scalars.intOrString, ...extension("int-or-string", true) }
        : {
            oneOf: [{ type: "integer" }, { type: "string" }],
            format: "int-or-string",
            ...extension("int-or-string", true),
          };
    case "quantity":
      // Numbers are quantities, too.
      return options.version === 2 ? scalars.quantity : { oneOf: [{ type: "string" }, { type: "number" }] };
    case "json":
      return extension("preserve-unknown-fields", true);
    default:
      return schema.values === undefined || schema.unlisted || options.enums === false
        ? scalars[schema.kind]
        : { ...scalars[schema.kind], enum: [...schema.values].sort() };
  }
}

const defaultRef = (version: 2 | 3) => (schema: MessageSchema) =>
  `${version === 2 ? "#/definitions/" : "#/components/schemas/"}${definitionName(schema)}`;

/** The messages that a message's definition refers to, itself not counted, each once, in order of first use. */
export function referencedMessages(schema: MessageSchema): readonly MessageSchema[] {
  const found = new Set<MessageSchema>(schema.custom?.references);
  if (schema.custom !== undefined) return [...found];
  for (const field of Object.values(schema.fields())) {
    let inner: Schema = field.schema;
    while (inner.kind === "list" || inner.kind === "map") {
      inner = inner.kind === "list" ? inner.item : inner.value;
    }
    if (inner.kind === "message" && inner !== schema) {
      found.add(inner);
    }
  }
  return [...found];
}

/** All messages reachable from `roots`, the roots included, each once. */
export function reachableMessages(roots: Iterable<MessageSchema>): readonly MessageSchema[] {
  const found = new Set<MessageSchema>(roots);
  for (const schema of found) {
    for (const reference of referencedMessages(schema)) {
      found.add(reference);
    }
  }
  return [...found];
}
