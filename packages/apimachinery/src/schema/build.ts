import type {
  Field,
  FieldOptions,
  Fields,
  InferFields,
  ListSchema,
  MapSchema,
  MessageSchema,
  ScalarSchema,
  Schema,
  SchemaOf,
} from "./schema.ts";

const scalar = <T>(kind: ScalarSchema["kind"]): ScalarSchema<T> => Object.freeze({ kind });

/** UTF-8 text. */
export const string = scalar<string>("string");
/** A boolean. */
export const bool = scalar<boolean>("bool");
/** A 32-bit integer. */
export const int32 = scalar<number>("int32");
/** A 64-bit integer; values beyond ±2^53 are rejected at decoding. */
export const int64 = scalar<number>("int64");
/** An unsigned 32-bit integer. */
export const uint32 = scalar<number>("uint32");
/** A 64-bit floating point number. */
export const double = scalar<number>("double");
/** Any number, with exact 64-bit integers. For values that code does not compute with. */
export const number = scalar<number | bigint>("number");
/** Base64 text in JSON. */
export const bytes = scalar<string>("bytes");
/** A quantity such as `100m` or `1Gi`; decoding converts it to canonical form. */
export const quantity = scalar<string>("quantity");
/** RFC 3339 with seconds, UTC. */
export const time = scalar<string>("time");
/** RFC 3339 with microseconds, UTC. */
export const microTime = scalar<string>("microTime");
/** Go duration such as `1m30s`. */
export const duration = scalar<string>("duration");
/** A 32-bit integer or text, such as a port or a percentage. */
export const intOrString = scalar<number | string>("intOrString");
/** Any JSON object, kept unchanged (RawExtension). */
export const raw = scalar<Readonly<Record<string, unknown>>>("raw");
/** Any JSON value, kept unchanged. */
export const json = scalar<unknown>("json");

/**
 * Text with known values. Decoding accepts others, so that validation can report them; the inferred type is the
 * union.
 */
export function enumeration<const V extends readonly string[]>(...values: V): ScalarSchema<V[number]> {
  return { kind: "string", values };
}

/**
 * As {@link enumeration}, but OpenAPI documents do not list the values, because there may be others, or Kubernetes
 * does not list them.
 */
export function openEnumeration<const V extends readonly string[]>(...values: V): ScalarSchema<V[number]> {
  return { kind: "string", values, unlisted: true };
}

/** A list of items of one schema. */
export function list<T>(item: Schema & SchemaOf<T>): ListSchema<T> {
  return { kind: "list", item };
}

/** A map from text to values of one schema. */
export function mapOf<T>(value: Schema & SchemaOf<T>): MapSchema<T> {
  return { kind: "map", value };
}

const once = <T>(make: () => T): (() => T) => {
  let made: T | undefined;
  return () => (made ??= make());
};

/** A named struct. `fields` runs on first use, so files may refer to each other in cycles. */
export function message<F extends Fields>(
  pkg: string,
  name: string,
  fields: () => F,
  options?: Pick<MessageSchema, "atomic" | "aliases" | "custom">,
): MessageSchema<InferFields<F>> {
  return { kind: "message", pkg, name, fields: once(fields), ...options };
}

const typeMeta = (): { kind: Field<string, "optional">; apiVersion: Field<string, "optional"> } => ({
  kind: optional(0, string),
  apiVersion: optional(0, string),
});

/** A top-level kind: a message with `kind` and `apiVersion` in front. */
export function object<F extends Fields>(
  pkg: string,
  name: string,
  fields: () => F,
): MessageSchema<InferFields<F & ReturnType<typeof typeMeta>>> {
  return { kind: "message", pkg, name, object: true, fields: once(() => ({ ...typeMeta(), ...fields() })) };
}

/**
 * A field in the schema's required list; always written.
 *
 * @param id protobuf field number
 */
export function required<T>(
  id: number,
  schema: Schema & SchemaOf<T>,
  options?: FieldOptions & { readonly pointer?: boolean },
): Field<T, "required"> {
  return { id, schema, presence: "required", ...options };
}

/** A field that is omitted when empty. */
export function optional<T>(id: number, schema: Schema & SchemaOf<T>, options?: FieldOptions): Field<T, "optional"> {
  return { id, schema, presence: "optional", ...options };
}

/** A field that is present or absent; an explicit zero value is kept. */
export function pointer<T>(id: number, schema: Schema & SchemaOf<T>, options?: FieldOptions): Field<T, "pointer"> {
  return { id, schema, presence: "pointer", ...options };
}

/** A field that clients may omit and that is always written. */
export function value<T>(
  id: number,
  schema: Schema & SchemaOf<T>,
  options?: FieldOptions & { readonly pointer?: boolean },
): Field<T, "value"> {
  return { id, schema, presence: "value", ...options };
}

/**
 * The fields of a message, flattened into the surrounding JSON object but nested in field `id` on the wire (embedded
 * structs in Go).
 */
export function embed<T>(id: number, name: string, schema: MessageSchema<T>): EmbeddedFields<T> {
  const embedded = { id, name, message: schema.name };
  return Object.fromEntries(
    Object.entries(schema.fields()).map(([key, field]) => [
      key,
      { ...field, embedded: field.embedded === undefined ? embedded : { ...embedded, inner: field.embedded } },
    ]),
  ) as unknown as EmbeddedFields<T>;
}

type EmbeddedFields<T> = {
  [K in keyof T]-?: undefined extends T[K] ? Field<Exclude<T[K], undefined>, "pointer"> : Field<T[K], "value">;
};
