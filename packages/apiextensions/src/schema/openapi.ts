import { type MessageSchema, ObjectMeta } from "@orchernetes/apimachinery";
import type { JsonSchema } from "./json-schema.ts";
import { isPlain } from "./structural.ts";

type Json = Readonly<Record<string, unknown>>;

const prefix = "x-orchernetes-";

/** An extension under both names that clients may look for. */
function extension(name: string, value: unknown): Json {
  return { [prefix + name]: value, [`x-kubernetes-${name}`]: value };
}

const texts = {
  apiVersion: "Group and version of the schema that this object is written in.",
  kind: "Name of the type that this object is of. It can't change.",
  metadata: "What every object has: name, namespace, labels, annotations, owners and what the server keeps about it.",
};

/** The definition of a kind in an OpenAPI document: its schema, with what every object has. */
export function openApiOf(schema: JsonSchema, version: 2 | 3, ref: (schema: MessageSchema) => string): Json {
  const own = published(schema, version, ref);
  const open = schema["x-orchernetes-preserve-unknown-fields"] === true;
  const properties = isPlain(own.properties) ? own.properties : undefined;
  if (properties === undefined && open && version === 2) return { type: "object", ...own };
  return { ...own, type: "object", properties: withIdentity(properties ?? {}, version, ref) };
}

function withIdentity(properties: Json, version: 2 | 3, ref: (schema: MessageSchema) => string): Json {
  const reference = { $ref: ref(ObjectMeta) };
  const metadata =
    version === 3 ? { description: texts.metadata, allOf: [reference] } : { description: texts.metadata, ...reference };
  return {
    apiVersion: { description: texts.apiVersion, type: "string" },
    kind: { description: texts.kind, type: "string" },
    ...properties,
    metadata,
  };
}

/** Members that version 2 has no words for. */
const unsaid2: ReadonlySet<string> = new Set(["nullable", "oneOf", "anyOf", "allOf", "not", "default"]);
const lists: ReadonlySet<string> = new Set(["allOf", "anyOf", "oneOf"]);
const schemas: ReadonlySet<string> = new Set(["items", "additionalProperties", "not"]);

function published(schema: JsonSchema, version: 2 | 3, ref: (schema: MessageSchema) => string): Json {
  const below = (value: unknown): unknown => (isPlain(value) ? published(value as JsonSchema, version, ref) : value);
  // Clients of version 2 take an object with properties for one without others.
  const vague = version === 2 && schema["x-orchernetes-preserve-unknown-fields"] === true;
  const untyped =
    version === 2 && (schema.nullable === true || vague || schema["x-orchernetes-int-or-string"] === true);
  const out: [string, unknown][] = [];
  for (const [name, value] of Object.entries(schema)) {
    if (version === 2 && unsaid2.has(name)) continue;
    if (untyped && name === "type") continue;
    if (vague && (name === "properties" || name === "items" || name === "additionalProperties")) continue;
    if (name.startsWith(prefix)) out.push(...Object.entries(extension(name.slice(prefix.length), value)));
    else if (lists.has(name) && Array.isArray(value)) out.push([name, value.map(below)]);
    else if (schemas.has(name)) out.push([name, below(value)]);
    else if (name === "properties" && isPlain(value)) {
      const properties = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, below(item)]));
      const embedded = schema["x-orchernetes-embedded-resource"] === true;
      out.push([name, embedded ? withIdentity(properties, version, ref) : properties]);
    } else if (name !== "example" && name !== "$schema" && name !== "id") out.push([name, value]);
  }
  return Object.fromEntries(out);
}
