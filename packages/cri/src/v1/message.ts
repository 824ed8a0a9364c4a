/**
 * The language in which the messages of CRI are described.
 *
 * @example
 * ```ts
 * const PodSandboxMetadata = message({ name: [1, string], attempt: [4, uint32] });
 * type PodSandboxMetadata = Infer<typeof PodSandboxMetadata>; // { name: string; attempt: number }
 * PodSandboxMetadata.decode(PodSandboxMetadata.encode({ name: "web" })); // { name: "web", attempt: 0 }
 * ```
 *
 * @module
 */
import protobuf from "protobufjs/minimal.js";
import { enterDelimited, type Field, type int64, Singular, type uint64, type ValueOf } from "./fields.ts";

const { BufferReader, BufferWriter } = protobuf;
type Reader = protobuf.Reader;
type Writer = protobuf.Writer;
type Values = Record<string, unknown>;

/** Fields of a message by their TypeScript name, each with its number and kind. */
type Fields = Readonly<Record<string, readonly [number: number, field: Field<unknown>]>>;

/** Fields that a decoded message lacks if they were not sent: messages and wrappers. */
type OptionalKeys<F extends Fields> = {
  [K in keyof F]: F[K][1] extends { initial(): undefined } ? K : never;
}[keyof F];

type Flatten<T> = { [K in keyof T]: T[K] };
type InferFields<F extends Fields> = Flatten<
  { -readonly [K in Exclude<keyof F, OptionalKeys<F>>]: ValueOf<F[K][1]> } & {
    -readonly [K in OptionalKeys<F>]?: ValueOf<F[K][1]>;
  }
>;

/** The TypeScript type of a message. */
export type Infer<M> = M extends Message<infer F> ? InferFields<F> : never;

/** `T` as callers write it: all fields may be omitted, at every depth. Absent means the zero value, as in proto3. */
export type Init<T> = T extends bigint | number | string | boolean | Uint8Array | undefined
  ? T
  : T extends (infer E)[]
    ? readonly Init<E>[]
    : string extends keyof T
      ? Readonly<T>
      : { readonly [K in keyof T]?: Init<T[K]> | undefined };

interface Entry {
  readonly name: string;
  readonly number: number;
  readonly field: Field<unknown>;
}

/** A message: its fields, its codec, and a kind of field of other messages. */
export class Message<F extends Fields> extends Singular<InferFields<F>> {
  readonly wireType = 2;
  readonly fields: F;
  readonly #entries: readonly Entry[];
  /** Sparse: numbers of fields are small. */
  readonly #byNumber: Entry[] = [];

  constructor(fields: F) {
    super();
    this.fields = fields;
    this.#entries = Object.entries(fields).map(([name, [number, field]]) => ({ name, number, field }));
    for (const entry of this.#entries) this.#byNumber[entry.number] = entry;
  }

  /**
   * @returns the wire form of `value`; absent fields and zero values are not written
   * @throws TypeError for a number that is not an integer, or an unknown name of an enumeration
   */
  encode(value: Init<InferFields<F>>): Buffer {
    const writer = new BufferWriter();
    this.#writeFields(writer, value as Values);
    // protobufjs declares a Buffer of its own.
    return writer.finish() as Uint8Array as Buffer;
  }

  /**
   * @returns the message in `bytes`: always with its scalars, lists and maps; with messages and wrappers only if they were
   * sent. Unknown fields are skipped
   * @throws RangeError or Error for truncated or malformed input
   */
  decode(bytes: Buffer): InferFields<F> {
    return this.#readFields(new BufferReader(bytes));
  }

  initial(): undefined {
    return undefined;
  }

  writeValue(writer: Writer, value: InferFields<F>): void {
    writer.fork();
    this.#writeFields(writer, value as Values);
    writer.ldelim();
  }

  readValue(reader: Reader): InferFields<F> {
    const outerEnd = enterDelimited(reader);
    const value = this.#readFields(reader);
    reader.len = outerEnd;
    return value;
  }

  #writeFields(writer: Writer, value: Values): void {
    for (const { name, number, field } of this.#entries) {
      const given = value[name];
      if (given !== undefined && given !== null) field.write(writer, number, given);
    }
  }

  #readFields(reader: Reader): InferFields<F> {
    const value: Values = {};
    for (const { name, field } of this.#entries) {
      const initial = field.initial();
      if (initial !== undefined) value[name] = initial;
    }
    while (reader.pos < reader.len) {
      const tag = reader.tag();
      const known = this.#byNumber[tag >>> 3];
      if (known === undefined) {
        reader.skipType(tag & 7, 0, tag >>> 3);
        continue;
      }
      const read = known.field.read(reader, tag & 7, value[known.name]);
      if (read !== undefined) value[known.name] = read;
    }
    return value as InferFields<F>;
  }
}

/** Describes a message. Fields are written in the order given, which should be that of their numbers. */
export function message<const F extends Fields>(fields: F): Message<F> {
  return new Message(fields);
}

/** A message around one number, which distinguishes an absent number from 0. The value is the number, or absent. */
class Wrapper extends Singular<number> {
  readonly wireType = 2;
  readonly message: Message<{ readonly value: readonly [1, Field<number>] }>;

  constructor(value: typeof int64 | typeof uint64) {
    super();
    this.message = message({ value: [1, value] });
  }

  initial(): undefined {
    return undefined;
  }

  writeValue(writer: Writer, value: number): void {
    this.message.writeValue(writer, { value });
  }

  readValue(reader: Reader): number {
    return this.message.readValue(reader).value;
  }
}

/** A field of type `Int64Value` or `UInt64Value`. */
export function wrapper(value: typeof int64 | typeof uint64): Wrapper {
  return new Wrapper(value);
}
