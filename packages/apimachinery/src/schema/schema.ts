/**
 * The schema language: plain data that describes values in JSON and on the wire. Codecs, defaulting, pruning, patches
 * and OpenAPI are compiled from it (see `codec/`, `patch/`), and TypeScript types are inferred from it.
 */

/** A schema whose JSON values have the type `T`. `~type` exists for inference only. */
export interface SchemaOf<T> {
  readonly "~type"?: T;
}

/** Kinds of scalar. `quantity`, `time`, `microTime`, `duration` and `bytes` (base64) are strings in JSON. */
export type ScalarKind =
  | "string"
  | "bool"
  | "int32"
  | "int64"
  | "uint32"
  | "double"
  /** Any number, kept exactly: 64-bit integers beyond ±2⁵³ are `bigint`s. A double in protobuf. */
  | "number"
  | "bytes"
  | "quantity"
  | "time"
  | "microTime"
  | "duration"
  | "intOrString"
  /** Any JSON object, kept as it is (RawExtension, FieldsV1). */
  | "raw"
  /** Any JSON value, kept as it is. */
  | "json";

/** The schema of a scalar. */
export interface ScalarSchema<T = unknown> extends SchemaOf<T> {
  readonly kind: ScalarKind;
  /** Known values; decoding accepts others, and validation decides. */
  readonly values?: readonly string[];
  /** Set if OpenAPI documents do not list the values. */
  readonly unlisted?: true;
}

/** The schema of a list. */
export interface ListSchema<T = unknown> extends SchemaOf<readonly T[]> {
  readonly kind: "list";
  readonly item: Schema;
}

/** The schema of a map with text as keys. */
export interface MapSchema<T = unknown> extends SchemaOf<Readonly<Record<string, T>>> {
  readonly kind: "map";
  readonly value: Schema;
}

/** The schema of a struct. */
export interface MessageSchema<T = unknown> extends SchemaOf<T> {
  readonly kind: "message";
  /** Name of the type in OpenAPI, such as `PodSpec`. */
  readonly name: string;
  /** Package of the type, such as `core/v1`; names are unique within it. */
  readonly pkg: string;
  /** Fields in JSON order; evaluated on first use. */
  readonly fields: () => Fields;
  /** Whether server-side apply owns it as a whole. */
  readonly atomic?: boolean;
  /** Whether an applier owns the struct itself in addition to its fields, as for custom resources. */
  readonly ownedAsItem?: boolean;
  /** Schema of members that are not fields, if such are allowed. */
  readonly open?: Schema;
  /**
   * Alternative spellings of fields in input, with the canonical ones; an alternative spelling has precedence over
   * the field itself.
   */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Set if the JSON values are not simply objects of the fields. */
  readonly custom?: CustomJson;
  /** Whether it is a top-level kind, with `kind` and `apiVersion`, which are not fields of the wire message. */
  readonly object?: boolean;
}

/** What a decoder passes to a custom decoder inside it. */
export interface CustomContext {
  /** Decodes a part by its schema. */
  readonly nested: (schema: Schema, value: unknown) => unknown;
  /** Called for each member that is dropped; `path` is relative to the value and only computed when it is needed. */
  readonly onUnknown: (path: () => string) => void;
}

/** The JSON form of a message that is not simply an object of its fields: unions, and objects of custom resources. */
export interface CustomJson {
  /**
   * Converts a value that is neither null nor undefined to canonical form.
   *
   * @throws DecodeError
   */
  readonly decode: (value: unknown, context: CustomContext) => unknown;
  /** The definition in OpenAPI documents; `ref` returns the reference to a message's definition. */
  readonly openApi: (version: 2 | 3, ref: (schema: MessageSchema) => string) => Readonly<Record<string, unknown>>;
  /** Messages that the definition refers to. */
  readonly references?: readonly MessageSchema[];
  /** Whether server-side apply tracks the fields; otherwise the values are JSON without a schema. */
  readonly ownedByFields?: boolean;
  /** Converts a value to fields of the message on the wire; absent if it has no wire form. */
  readonly toFields?: (value: unknown) => Readonly<Record<string, unknown>>;
  /** Converts fields from the wire to a value. */
  readonly fromFields?: (fields: Readonly<Record<string, unknown>>) => unknown;
  /** Converts an object that was stored with an earlier schema; undefined if it need not be changed. */
  readonly restored?: (object: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>> | undefined;
}

/** Any schema. */
export type Schema = ScalarSchema | ListSchema | MapSchema | MessageSchema;

/**
 * Presence of a field, as in the Go types that define the API:
 * - `required`: in the schema's required list; always written.
 * - `optional`: omitted when empty ("", 0, false, [], {}).
 * - `pointer`: present or absent; an explicit zero is kept.
 * - `value`: clients may omit it; always written (`status: {}`, `creationTimestamp: null`).
 */
export type Presence = "required" | "optional" | "pointer" | "value";

/** Properties of a field beside its type. */
export interface FieldOptions {
  /** Strategic merge patch strategy. */
  readonly patch?: "merge" | "replace" | "retainKeys" | "merge,retainKeys";
  readonly mergeKey?: string;
  /** List type of server-side apply; absent means atomic. */
  readonly list?: "atomic" | "set" | "map";
  readonly keys?: readonly string[];
  /** Whether server-side apply treats this struct or map as one value. */
  readonly atomic?: boolean;
  /** Default in the schema, published in OpenAPI and used for absent list-map keys. */
  readonly default?: string | number | boolean;
  readonly deprecated?: boolean;
  readonly gate?: string;
  readonly nullable?: boolean;
}

/** A field of a struct. */
export interface Field<T = unknown, P extends Presence = Presence> extends FieldOptions {
  /** Protobuf field number; 0 for fields that are not on the wire. */
  readonly id: number;
  readonly schema: Schema & SchemaOf<T>;
  readonly presence: P;
  /** Pointer or slice semantics for a `required` field: its zero value is null, not {} or "". */
  readonly pointer?: boolean;
  /** Set if the field is in a nested wire message that JSON flattens. */
  readonly embedded?: Embedding;
}

/** Position on the wire of a field that JSON flattens. */
export interface Embedding {
  /** Number of the wire field that contains the nested message. */
  readonly id: number;
  readonly name: string;
  readonly message: string;
  /** Set if the nested message is itself flattened: the field is one level deeper. */
  readonly inner?: Embedding;
}

/** The fields of a struct by their JSON names, in JSON order. */
export type Fields = Readonly<Record<string, Field>>;

type Flatten<T> = { [K in keyof T]: T[K] };
type OptionalKeys<F extends Fields> = {
  [K in keyof F]: F[K]["presence"] extends "optional" | "pointer" ? K : never;
}[keyof F];
type FieldType<F> = F extends Field<infer T> ? T : never;

/**
 * The TypeScript type of a record of fields: deep readonly. A field that may be absent may also be undefined:
 * strategies clear a field by setting it to undefined, which keeps the shape of the object, and encoders omit it.
 */
export type InferFields<F extends Fields> = Flatten<
  { readonly [K in Exclude<keyof F, OptionalKeys<F>>]: FieldType<F[K]> } & {
    readonly [K in OptionalKeys<F>]?: FieldType<F[K]> | undefined;
  }
>;

/** The TypeScript type of a schema's values. */
export type Infer<S> = S extends SchemaOf<infer T> ? T : never;

/** A deeply mutable version of a type, for defaulting and strategies, which modify an object that they own. */
export type Draft<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends readonly (infer U)[]
    ? Draft<U>[]
    : T extends object
      ? { -readonly [K in keyof T]: Draft<T[K]> }
      : T;
