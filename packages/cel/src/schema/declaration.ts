import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listOf,
  mapOf,
  stringType,
  type Type,
  timestampType,
} from "../language/types.ts";
import { escapeName } from "../values/escape.ts";
import { atomic, type ListOrder } from "../values/value.ts";

/** The parts of a structural schema that decide about types and sizes. Schemas of custom resources have more, which expressions do not see. */
export interface DeclarableSchema {
  readonly type?: string;
  readonly format?: string;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly required?: readonly string[];
  readonly items?: DeclarableSchema | readonly DeclarableSchema[];
  readonly properties?: Readonly<Record<string, DeclarableSchema>>;
  readonly additionalProperties?: DeclarableSchema | boolean;
  readonly "x-orchernetes-int-or-string"?: boolean;
  readonly "x-orchernetes-embedded-resource"?: boolean;
  readonly "x-orchernetes-list-type"?: string;
  readonly "x-orchernetes-list-map-keys"?: readonly string[];
}

/**
 * A type with the largest and smallest size of its values. Costs are estimated by it before there is any object: a list with `maxItems: 10`
 * makes a loop cost ten times its body, one without a limit as often as items fit in a request.
 */
export interface Declaration {
  readonly type: Type;
  /** Characters, bytes, items or entries of a value at most; 0 for values that have none, and for keys, as in Kubernetes. */
  readonly maxElements: number;
  /** Bytes of a value in JSON at least. */
  readonly minSize: number;
  /** Of items, or of the values of a map. */
  readonly element?: Declaration;
  readonly key?: Declaration;
  /** By escaped name. */
  readonly fields?: ReadonlyMap<string, DeclaredField>;
  readonly order?: ListOrder;
}

interface DeclaredField {
  /** In JSON. */
  readonly name: string;
  readonly declaration: Declaration;
}

/** The limit of a request's body, 3 MiB: no value of an object is larger, whatever its schema allows. */
export const maxRequestBytes = 3 * 1024 * 1024;
/** The longest text that fits in a request, without its quotes. */
const maxText = maxRequestBytes - 2;

/** Sizes are those of JSON: `true` takes 4 bytes, a number at least 1, an empty text its 2 quotes. */
const scalar = (type: Type, minSize: number, maxElements = 0): Declaration => ({ type, minSize, maxElements });

const boolean = scalar(boolType, 4);
const integer = scalar(intType, 1);
const double = scalar(doubleType, 1);
const text = scalar(stringType, 2, maxText);
const key = scalar(stringType, 2);
/** An RFC 3339 time and a duration take at most so many characters in JSON. */
const maxTime = 32;
const dateSize = 12;

const limit = (given: number | undefined, otherwise: number): number => Math.max(0, given ?? otherwise);

/**
 * The declaration of what a schema describes.
 *
 * Parts without a type, as under preserve-unknown-fields, are not declared, and so cannot be selected: their values could be anything,
 * and no cost could be estimated. An int-or-string is of type dyn, for `type(x) == int` to tell which it is.
 *
 * @param name for messages about types without one, the path to the place
 * @param root whether the values are objects of the API, whose identity can always be read
 * @returns undefined if expressions see nothing of it
 */
export function declare(schema: DeclarableSchema, name: string, root: boolean): Declaration | undefined {
  if (schema["x-orchernetes-int-or-string"] === true) {
    return scalar(dynType, 1, schema.maxLength === undefined ? maxText : limit(schema.maxLength, 0) * 4);
  }
  switch (schema.type) {
    case "array":
      return declareList(schema, name);
    case "object":
      return typeof schema.additionalProperties === "object"
        ? declareMap(schema, schema.additionalProperties, name)
        : declareObject(root ? withIdentity(schema) : schema, name);
    case "string":
      return declareText(schema);
    case "boolean":
      return boolean;
    case "number":
      return double;
    case "integer":
      return integer;
    default:
      return undefined;
  }
}

/** Embedded resources are objects of the API within others: their identity can always be read, as that of the root. */
const isEmbedded = (schema: DeclarableSchema): boolean => schema["x-orchernetes-embedded-resource"] === true;

/** Without `maxItems` a list has at most as many items as fit in a request, each of its smallest size and with a comma. */
function declareList(schema: DeclarableSchema, name: string): Declaration | undefined {
  const { items } = schema;
  if (items === undefined || Array.isArray(items)) return undefined;
  const one = items as DeclarableSchema;
  const element = declare(one, `${name}.@idx`, isEmbedded(one));
  if (element === undefined) return undefined;
  return {
    type: listOf(element.type),
    maxElements: limit(schema.maxItems, Math.floor(maxText / (element.minSize + 1))),
    minSize: 2,
    element,
    order: orderOf(schema),
  };
}

/** How lists compare and add, by their list type: as sets, by keys, or by position. */
function orderOf(schema: DeclarableSchema): ListOrder {
  switch (schema["x-orchernetes-list-type"]) {
    case "set":
      return { kind: "set" };
    case "map":
      return { kind: "map", keys: schema["x-orchernetes-list-map-keys"] ?? [] };
    default:
      return atomic;
  }
}

/** A map has keys of type string, and like a list as many entries as `maxProperties` or a request allows. */
function declareMap(schema: DeclarableSchema, values: DeclarableSchema, name: string): Declaration | undefined {
  const element = declare(values, `${name}.@elem`, isEmbedded(values));
  if (element === undefined) return undefined;
  return {
    type: mapOf(stringType, element.type),
    // An entry has a key of two characters in quotes, a colon and a comma.
    maxElements: limit(schema.maxProperties, Math.floor(maxText / (element.minSize + 6))),
    minSize: 2,
    element,
    key,
  };
}

/**
 * An object has the properties of its schema as fields. Its smallest size counts only required ones: the smaller items are, the more of them
 * fit in a list.
 */
function declareObject(schema: DeclarableSchema, name: string): Declaration {
  const fields = new Map<string, DeclaredField>();
  const types = new Map<string, Type>();
  const required = new Set(schema.required);
  let minSize = 2;
  for (const [key, property] of Object.entries(schema.properties ?? {})) {
    const declaration = declare(property, `${name}.${key}`, isEmbedded(property));
    if (declaration === undefined) continue;
    const escaped = escapeName(key);
    if (escaped !== undefined) {
      fields.set(escaped, { name: key, declaration });
      types.set(escaped, declaration.type);
    }
    // A required property with a default may be left out of the request, so that it takes no byte of it.
    const hasDefault = property.default !== undefined && property.default !== null;
    if (required.has(key) && !hasDefault) minSize += key.length + declaration.minSize + 4;
  }
  return { type: { kind: "object", name, fields: types }, maxElements: 0, minSize, fields };
}

/** The format decides on the type: `byte` is bytes, times and durations have types of their own, all others are strings. */
function declareText(schema: DeclarableSchema): Declaration {
  switch (schema.format) {
    case "byte":
      return scalar(bytesType, 2, limit(schema.maxLength, maxText));
    case "duration":
      return scalar(durationType, 3, maxTime);
    case "date":
      return scalar(timestampType, dateSize, dateSize);
    case "date-time":
      return scalar(timestampType, 21, maxTime);
    default:
      break;
  }
  // The length is in characters, and a character may take four bytes.
  if (schema.maxLength !== undefined) return scalar(stringType, 2, limit(schema.maxLength, 0) * 4);
  if ((schema.enum ?? []).length === 0) return text;
  // In bytes, and of texts only: the null of a nullable choice is none.
  const lengths = (schema.enum ?? []).map((one) => (typeof one === "string" ? Buffer.byteLength(one) : 0));
  return scalar(stringType, 2, Math.max(0, ...lengths));
}

const textSchema: DeclarableSchema = { type: "string" };

/** Every object has a kind, an apiVersion, and a name that was given or generated. */
function withIdentity(schema: DeclarableSchema): DeclarableSchema {
  return {
    ...schema,
    properties: {
      ...schema.properties,
      kind: textSchema,
      apiVersion: textSchema,
      metadata: { type: "object", properties: { name: textSchema, generateName: textSchema } },
    },
  };
}
