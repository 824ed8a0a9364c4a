import { type CustomContext, type CustomJson, DecodeError, type MessageSchema } from "@orchernetes/apimachinery";

/** The alternative to a schema in a union: whether a value is of that type, and its canonical form. */
interface Alternative {
  readonly is: (value: unknown) => boolean;
  readonly decode?: (value: unknown, context: CustomContext) => unknown;
  /** The fields on the wire, and back; undefined: the fields hold a schema. */
  readonly toFields: (value: unknown) => Readonly<Record<string, unknown>>;
  readonly fromFields: (fields: Readonly<Record<string, unknown>>) => unknown;
  readonly words: string;
}

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value);

/** A type that is a schema or another value in JSON, and in protobuf a message with a field for each. */
function schemaOr(schema: () => MessageSchema, name: string, other: Alternative): CustomJson {
  return {
    decode: (value, context) => {
      if (isObject(value)) return context.nested(schema(), value);
      if (!other.is(value))
        throw new DecodeError(
          `json: cannot unmarshal ${JSON.stringify(value)} into ${name}: ${other.words} is expected`,
        );
      return other.decode === undefined ? value : other.decode(value, context);
    },
    // Neither version of OpenAPI can describe such a union in a way that all clients know.
    openApi: () => ({}),
    toFields: (value) => (isObject(value) ? { Allows: true, Schema: value } : other.toFields(value)),
    fromFields: (fields) => fields.Schema ?? other.fromFields(fields),
  };
}

/** `additionalProperties`, `additionalItems`: a schema or a boolean. */
export const schemaOrBool = (schema: () => MessageSchema): CustomJson =>
  schemaOr(schema, "JSONSchemaPropsOrBool", {
    is: (value) => typeof value === "boolean",
    toFields: (value) => ({ Allows: value }),
    fromFields: ({ Allows }) => Allows === true,
    words: "a boolean or JSON schema",
  });

/** `items`: a schema or a list of them. */
export const schemaOrArray = (schema: () => MessageSchema): CustomJson =>
  schemaOr(schema, "JSONSchemaPropsOrArray", {
    is: Array.isArray,
    decode: (value, context) => (value as readonly unknown[]).map((item) => context.nested(schema(), item ?? {})),
    toFields: (value) => ({ JSONSchemas: value }),
    fromFields: ({ JSONSchemas }) => JSONSchemas ?? [],
    words: "a JSON schema or a list of them",
  });

/** `dependencies`: a schema or a list of property names. */
export const schemaOrStrings = (schema: () => MessageSchema): CustomJson =>
  schemaOr(schema, "JSONSchemaPropsOrStringArray", {
    is: (value) => Array.isArray(value) && value.every((item) => typeof item === "string"),
    toFields: (value) => ({ Property: value }),
    fromFields: ({ Property }) => Property ?? [],
    words: "a JSON schema or a list of strings",
  });
