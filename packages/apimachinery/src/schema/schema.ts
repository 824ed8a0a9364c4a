/**
 * The schema language: plain data that says what a value looks like in JSON and on the wire. Codecs, defaulting, pruning,
 * patch merging and OpenAPI are compiled from it (see `codec/`, `patch/`), and TypeScript types are inferred from it.
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
  /** Known values; decoding accepts others, validation decides. */
  readonly values?: readonly string[];
  /** OpenAPI documents do not list the values. */
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
  /** The type's name as OpenAPI shows it, e.g. `PodSpec`. */
  readonly name: string;
  /** `core/v1`-like home of the type; names are unique within it. */
  readonly pkg: string;
  /** Fields in JSON order; evaluated on first use. */
  readonly fields: () => Fields;
  /** Owned as a whole by server-side apply. */
  readonly atomic?: boolean;
  /** Who applies such a struct owns the struct itself, too, not only its fields: custom resources. */
  readonly ownedAsItem?: boolean;
  /** What members hold that are not among the fields, where ownership allows such. */
  readonly open?: Schema;
  /** Other spellings of fields that input may have, and the fields they stand for; they win over the fields themselves. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** The JSON values are not just objects of the fields. */
  readonly custom?: CustomJson;
  /** A top-level kind: carries `kind` and `apiVersion`, which are not fields of the wire message. */
  readonly object?: boolean;
}

/** What the decoder of the enclosing value passes to a custom decoder. */
export interface CustomContext {
  /** Decodes a part by its schema. */
  readonly nested: (schema: Schema, value: unknown) => unknown;
  /** Called for each member that is dropped; `path` is relative to the value and only computed when it is needed. */
  readonly onUnknown: (path: () => string) => void;
}

/** How the JSON values of a message look that are not just objects of its fields: unions, and objects of custom resources. */
export interface CustomJson {
  /**
   * Canonical form of a value that is neither null nor undefined.
   *
   * @throws DecodeError
   */
  readonly decode: (value: unknown, context: CustomContext) => unknown;
  /** Its definition in OpenAPI documents; `ref` gives what refers to a message's definition. */
  readonly openApi: (version: 2 | 3, ref: (schema: MessageSchema) => string) => Readonly<Record<string, unknown>>;
  /** Messages that the definition refers to. */
  readonly references?: readonly MessageSchema[];
  /** Server-side apply sees the fields; otherwise the values are JSON without a schema. */
  readonly ownedByFields?: boolean;
  /** The fields of the message on the wire that stand for a value; absent: it has no wire form. */
  readonly toFields?: (value: unknown) => Readonly<Record<string, unknown>>;
  /** The value that fields read from the wire stand for. */
  readonly fromFields?: (fields: Readonly<Record<string, unknown>>) => unknown;
  /** What an object is by now that was stored by an earlier form of the schema; undefined: it is as it was. */
  readonly restored?: (object: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>> | undefined;
}

/** Any schema. */
export type Schema = ScalarSchema | ListSchema | MapSchema | MessageSchema;

/**
 * How presence works, as in the Go types the API was born from:
 * - `required`: in the schema's required list; always written.
 * - `optional`: dropped from output when empty ("", 0, false, [], {}).
 * - `pointer`: present or absent; an explicit zero is kept.
 * - `value`: not required of clients, always written (`status: {}`, `creationTimestamp: null`).
 */
export type Presence = "required" | "optional" | "pointer" | "value";

/** Facts about a field beyond its type. */
export interface FieldOptions {
  /** Strategic merge patch strategy. */
  readonly patch?: "merge" | "replace" | "retainKeys" | "merge,retainKeys";
  readonly mergeKey?: string;
  /** Server-side apply list type; absent means atomic. */
  readonly list?: "atomic" | "set" | "map";
  readonly keys?: readonly string[];
  /** Server-side apply treats this struct or map as one value. */
  readonly atomic?: boolean;
  /** Schema default, published in OpenAPI and used for absent list-map keys. */
  readonly default?: string | number | boolean;
  readonly deprecated?: boolean;
  readonly gate?: string;
  readonly nullable?: boolean;
}

export interface Field<T = unknown, P extends Presence = Presence> extends FieldOptions {
  /** Protobuf field number; 0 for fields that are not on the wire. */
  readonly id: number;
  readonly schema: Schema & SchemaOf<T>;
  readonly presence: P;
  /** Go-side pointer or slice semantics for a `required` field: its zero value is null, not {} or "". */
  readonly pointer?: boolean;
  /** The field lies in a nested wire message that JSON flattens. */
  readonly embedded?: Embedding;
}

/** Where a field that JSON flattens lies on the wire. */
export interface Embedding {
  /** Number of the wire field that holds the nested message. */
  readonly id: number;
  readonly name: string;
  readonly message: string;
  /** The nested message flattens in its turn: the field lies one deeper. */
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
 * The TypeScript type of a record of fields: deep readonly. A field that may be absent may also be undefined: strategies clear a
 * field by setting it so, which keeps the shape of the object, and encoders leave it out.
 */
export type InferFields<F extends Fields> = Flatten<
  { readonly [K in Exclude<keyof F, OptionalKeys<F>>]: FieldType<F[K]> } & {
    readonly [K in OptionalKeys<F>]?: FieldType<F[K]> | undefined;
  }
>;

/** The TypeScript type of a schema's values. */
export type Infer<S> = S extends SchemaOf<infer T> ? T : never;

/** A deeply mutable copy type, for defaulting and strategies that shape an object they own. */
export type Draft<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends readonly (infer U)[]
    ? Draft<U>[]
    : T extends object
      ? { -readonly [K in keyof T]: Draft<T[K]> }
      : T;
