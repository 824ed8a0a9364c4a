import { type MessageSchema, ObjectMeta } from "@orchernetes/apimachinery";
import type { JsonSchema } from "./json-schema.ts";
import { isPlain } from "./structural.ts";

type Json = Readonly<Record<string, unknown>>;

const prefix = "x-orchernetes-";

/** An extension under both names that clients may look for: tools written for Kubernetes know only its own. */
function extension(name: string, value: unknown): Json {
  return { [prefix + name]: value, [`x-kubernetes-${name}`]: value };
}

const texts = {
  apiVersion: "APIVersion defines the group and version of the schema that this object is written in.",
  kind: "Name of the type that this object is of. It can't change.",
  metadata:
    "Standard object's metadata: name, namespace, labels, annotations, owners and what the server keeps about every object.",
};

type Reference = (schema: MessageSchema) => string;

/**
 * The definition of a kind in an OpenAPI document: its schema, with the fields of every object. In version 2, kinds that preserve
 * unknown fields have no properties: clients would reject all others as soon as there is one.
 */
export function openApiOf(schema: JsonSchema, version: 2 | 3, ref: Reference): Json {
  if (version === 2 && schema["x-orchernetes-preserve-unknown-fields"] === true) return { type: "object" };
  const own = published(schema, version, ref);
  return { ...own, type: "object", properties: withIdentity(own.properties, version, ref) };
}

/** Adds what every object has. The metadata refers to the definition of ObjectMeta; version 3 needs allOf to give it a description. */
function withIdentity(properties: unknown, version: 2 | 3, ref: Reference): Json {
  const reference = { $ref: ref(ObjectMeta) };
  const metadata =
    version === 3 ? { description: texts.metadata, allOf: [reference] } : { description: texts.metadata, ...reference };
  return {
    ...(isPlain(properties) ? properties : {}),
    apiVersion: { description: texts.apiVersion, type: "string" },
    kind: { description: texts.kind, type: "string" },
    metadata,
  };
}

/** Members that version 2 cannot express. */
const unsaid2: ReadonlySet<string> = new Set(["nullable", "oneOf", "anyOf", "allOf", "not"]);
/** Keywords that Kubernetes does not publish either. */
const unpublished: ReadonlySet<string> = new Set(["example", "$schema", "id"]);
const lists: ReadonlySet<string> = new Set(["allOf", "anyOf", "oneOf"]);
const schemas: ReadonlySet<string> = new Set(["items", "additionalProperties", "not"]);

/** A schema as it is published: extensions under both names, without what clients have no use for. */
function published(schema: JsonSchema, version: 2 | 3, ref: Reference): Json {
  const below = (value: unknown): unknown => (isPlain(value) ? published(value as JsonSchema, version, ref) : value);
  const out: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(version === 2 ? inVersion2(schema) : withTypesOfUnion(schema))) {
    if (name.startsWith(prefix)) Object.assign(out, extension(name.slice(prefix.length), value));
    else if (lists.has(name) && Array.isArray(value)) out[name] = value.map(below);
    else if (schemas.has(name)) out[name] = below(value);
    else if (name === "properties" && isPlain(value)) {
      out[name] = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, below(item)]));
    } else if (!unpublished.has(name)) out[name] = value;
  }
  const vague = version === 2 && schema["x-orchernetes-preserve-unknown-fields"] === true;
  if (schema["x-orchernetes-embedded-resource"] !== true || vague) return out;
  const required = new Set([...(schema.required ?? []), "kind", "apiVersion"]);
  return { ...out, properties: withIdentity(out.properties, version, ref), required: [...required] };
}

/**
 * Reduces a schema to what OpenAPI version 2 supports.
 *
 * Version 2 has no `nullable` and no alternatives. A client that validates by it must not reject what the server accepts, so where the
 * schema cannot be expressed, less is said: no type, no properties, no items.
 */
function inVersion2(schema: JsonSchema): Json {
  const vague = schema["x-orchernetes-preserve-unknown-fields"] === true;
  const open = vague || schema.nullable === true;
  const unsaid = new Set(unsaid2);
  if (open) unsaid.add("items").add("properties");
  const itemless = schema.type === "array" && (open || schema.items === undefined);
  if (schema.nullable === true || itemless || (vague && schema.type === "object")) unsaid.add("type");
  const out = Object.fromEntries(Object.entries(schema).filter(([name]) => !unsaid.has(name)));
  const required = withoutNullable(schema, open);
  if (required.length > 0) out.required = required;
  else delete out.required;
  return out;
}

/** The required properties, without nullable ones: a client of version 2 takes null for absent. */
function withoutNullable({ required = [], properties, additionalProperties }: JsonSchema, open: boolean) {
  if (isPlain(additionalProperties) && additionalProperties.nullable === true) return [];
  if (open || properties === undefined) return required;
  return required.filter((name) => !Object.hasOwn(properties, name) || properties[name]?.nullable !== true);
}

const numberOrText: readonly JsonSchema[] = [{ type: "integer" }, { type: "string" }];

/** The schema of an int-or-string value, with both types for clients that do not know the extension. */
function withTypesOfUnion(schema: JsonSchema): Json {
  if (schema["x-orchernetes-int-or-string"] !== true || [schema, ...(schema.allOf ?? [])].some(namesTypes))
    return { ...schema };
  if (schema.anyOf === undefined) return { ...schema, anyOf: numberOrText };
  return { ...schema, allOf: [{ anyOf: numberOrText }, ...(schema.allOf ?? [])] };
}

const namesTypes = ({ anyOf }: JsonSchema): boolean =>
  anyOf?.length === 2 && anyOf[0]?.type === "integer" && anyOf[1]?.type === "string";
