import type { Field, MessageSchema, ScalarKind, Schema } from "@orchernetes/apimachinery";
import { definitionName } from "./schema-names.ts";

/** A JSON Schema object of an OpenAPI document. */
export type OpenApiSchema = Readonly<Record<string, unknown>>;

/** A group, version and kind as the extension lists it. */
export interface Gvk {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** Both spellings of an extension: this project's, and the one stock clients look for. */
export function extension(name: string, value: unknown): Readonly<Record<string, unknown>> {
  return { [`x-orchernetes-${name}`]: value, [`x-kubernetes-${name}`]: value };
}

const scalars: Readonly<Record<ScalarKind, OpenApiSchema>> = {
  string: { type: "string" },
  bool: { type: "boolean" },
  int32: { type: "integer", format: "int32" },
  int64: { type: "integer", format: "int64" },
  uint32: { type: "integer", format: "int64" },
  double: { type: "number", format: "double" },
  bytes: { type: "string", format: "byte" },
  quantity: { type: "string" },
  time: { type: "string", format: "date-time" },
  microTime: { type: "string", format: "date-time" },
  duration: { type: "string" },
  intOrString: { type: "string", format: "int-or-string" },
  raw: { type: "object" },
  json: {},
};

/** Collects the types that documents refer to. */
export class SchemaCollector {
  readonly #refPrefix: string;
  readonly #v3: boolean;
  readonly #gvks: (schema: MessageSchema) => readonly Gvk[];
  readonly #collected = new Map<string, MessageSchema>();
  readonly #pending: MessageSchema[] = [];

  constructor(version: "v2" | "v3", gvks: (schema: MessageSchema) => readonly Gvk[]) {
    this.#v3 = version === "v3";
    this.#refPrefix = this.#v3 ? "#/components/schemas/" : "#/definitions/";
    this.#gvks = gvks;
  }

  /** A reference to a type, which is then part of {@link definitions}. */
  ref(schema: MessageSchema): OpenApiSchema {
    const name = definitionName(schema);
    if (!this.#collected.has(name)) {
      this.#collected.set(name, schema);
      this.#pending.push(schema);
    }
    return { $ref: this.#refPrefix + name };
  }

  /** All types referred to, and those they refer to, by name. */
  definitions(): Readonly<Record<string, OpenApiSchema>> {
    const made = new Map<string, OpenApiSchema>();
    for (let schema = this.#pending.pop(); schema !== undefined; schema = this.#pending.pop()) {
      made.set(definitionName(schema), this.#message(schema));
    }
    return Object.fromEntries([...made].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #schema(schema: Schema): OpenApiSchema {
    switch (schema.kind) {
      case "message":
        return this.ref(schema);
      case "list":
        return { type: "array", items: this.#schema(schema.item) };
      case "map":
        return { type: "object", additionalProperties: this.#schema(schema.value) };
      default: {
        const plain =
          this.#v3 && schema.kind === "intOrString"
            ? { format: "int-or-string", oneOf: [{ type: "integer" }, { type: "string" }] }
            : scalars[schema.kind];
        return schema.values === undefined ? plain : { ...plain, enum: schema.values };
      }
    }
  }

  #field(field: Field): OpenApiSchema {
    const schema = this.#schema(field.schema);
    const facts: Record<string, unknown> = {};
    if (field.doc !== undefined) facts.description = field.doc;
    if (field.default !== undefined) facts.default = field.default;
    if (field.patch !== undefined && field.patch !== "replace")
      Object.assign(facts, extension("patch-strategy", field.patch));
    if (field.mergeKey !== undefined) Object.assign(facts, extension("patch-merge-key", field.mergeKey));
    if (field.list !== undefined) Object.assign(facts, extension("list-type", field.list));
    if (field.keys !== undefined) Object.assign(facts, extension("list-map-keys", field.keys));
    if (field.atomic === true) Object.assign(facts, extension("map-type", "atomic"));
    // A reference stands alone in version 3 documents; siblings go beside an allOf.
    if (this.#v3 && "$ref" in schema && Object.keys(facts).length > 0) return { ...facts, allOf: [schema] };
    return { ...schema, ...facts };
  }

  #message(schema: MessageSchema): OpenApiSchema {
    const properties: Record<string, OpenApiSchema> = {};
    const required: string[] = [];
    for (const [name, field] of Object.entries(schema.fields())) {
      properties[name] = this.#field(field);
      if (field.presence === "required") required.push(name);
    }
    const gvks = this.#gvks(schema);
    return {
      ...schemaDescription(schema),
      type: "object",
      ...(Object.keys(properties).length > 0 ? { properties } : {}),
      ...(required.length > 0 ? { required } : {}),
      ...(schema.atomic === true ? extension("map-type", "atomic") : {}),
      ...(gvks.length > 0 ? extension("group-version-kind", gvks) : {}),
    };
  }
}

function schemaDescription(schema: MessageSchema): { readonly description?: string } {
  return schema.object === true ? { description: `${schema.name} of ${schema.pkg}` } : {};
}
