/**
 * The kinds of fields that CRI messages have: which JavaScript value each holds, and how protobufjs writes and reads it.
 *
 * @module
 */
import type protobuf from "protobufjs/minimal.js";

type Reader = protobuf.Reader;
type Writer = protobuf.Writer;
type Long = ReturnType<Reader["int64"]>;

const VARINT = 0;
/** Wire type of strings, bytes, messages, map entries and packed lists: a length comes first. */
const DELIMITED = 2;
type WireType = typeof VARINT | typeof DELIMITED;

/** A kind of field. `T` is the type of its value. */
export interface Field<T> {
  /** Value of a field that was not sent; undefined if the field is left out of the message then. */
  initial(): T | undefined;
  /** Writes tag and value, or nothing if a reader would assume the value anyway. */
  write(writer: Writer, number: number, value: T): void;
  /**
   * Reads one occurrence of the field; one with an unexpected wire type is skipped, as in other implementations.
   *
   * @param current value of the message's field until now
   * @returns its value from now on
   * @throws RangeError or Error for malformed or truncated input
   */
  read(reader: Reader, wireType: number, current: T | undefined): T | undefined;
}

/** The type of a field's value. */
export type ValueOf<F> = F extends { write(writer: Writer, number: number, value: infer T): void } ? T : never;

/** A field with at most one value, which can also be the element of a {@link list}. */
export abstract class Singular<T> implements Field<T> {
  abstract readonly wireType: WireType;
  abstract initial(): T | undefined;
  abstract writeValue(writer: Writer, value: T): void;
  abstract readValue(reader: Reader): T;

  write(writer: Writer, number: number, value: T): void {
    if (value === this.initial()) return;
    writer.uint32((number << 3) | this.wireType);
    this.writeValue(writer, value);
  }

  read(reader: Reader, wireType: number, current: T | undefined): T | undefined {
    if (wireType === this.wireType) return this.readValue(reader);
    reader.skipType(wireType);
    return current;
  }
}

class Scalar<T> extends Singular<T> {
  readonly wireType: WireType;
  readonly writeValue: (writer: Writer, value: T) => void;
  readonly readValue: (reader: Reader) => T;
  readonly #zero: T;

  constructor(wireType: WireType, zero: T, write: (writer: Writer, value: T) => void, read: (reader: Reader) => T) {
    super();
    this.wireType = wireType;
    this.#zero = zero;
    this.writeValue = write;
    this.readValue = read;
  }

  initial(): T {
    return this.#zero;
  }
}

/** A proto3 `string`. */
export const string: Scalar<string> = new Scalar(
  DELIMITED,
  "",
  (writer, value) => writer.string(String(value)),
  (reader) => reader.string(),
);

/** A proto3 `bool`. */
export const bool: Scalar<boolean> = new Scalar(
  VARINT,
  false,
  (writer, value) => writer.bool(Boolean(value)),
  (reader) => reader.bool(),
);

class Bytes extends Singular<Uint8Array> {
  readonly wireType = DELIMITED;

  initial(): Uint8Array {
    return new Uint8Array();
  }

  override write(writer: Writer, number: number, value: Uint8Array): void {
    if (value.length > 0) super.write(writer, number, value);
  }

  writeValue(writer: Writer, value: Uint8Array): void {
    writer.bytes(value);
  }

  readValue(reader: Reader): Uint8Array {
    // A copy, because a view would keep the whole response in memory.
    return Uint8Array.from(reader.bytes());
  }
}

/** A proto3 `bytes`. */
export const bytes = new Bytes();

function integer(write: (writer: Writer, value: number) => void, read: (reader: Reader) => number): Scalar<number> {
  const writeChecked = (writer: Writer, value: number) => {
    if (!Number.isInteger(value)) throw new TypeError(`Cannot encode integer: found ${String(value)}`);
    write(writer, value);
  };
  return new Scalar(VARINT, 0, writeChecked, read);
}

/** A proto3 `int32`. Encoding throws TypeError for a number that is not an integer. */
export const int32 = integer(
  (writer, value) => writer.int32(value),
  (reader) => reader.int32(),
);

/** A proto3 `uint32`; otherwise as {@link int32}. */
export const uint32 = integer(
  (writer, value) => writer.uint32(value),
  (reader) => reader.uint32(),
);

/** Held as a number: exact up to ±2^53, which bounds bytes, quotas, ids and durations in practice. */
export const int64 = integer(
  (writer, value) => writer.int64(value),
  (reader) => toNumber(reader.int64()),
);

/** As {@link int64}. */
export const uint64 = integer(
  (writer, value) => writer.uint64(value),
  (reader) => toNumber(reader.uint64()),
);

/**
 * An int64 of nanoseconds since the epoch. It is a bigint, because a number would be rounded to a multiple of 256 ns.
 */
export const nanos: Scalar<bigint> = new Scalar(
  VARINT,
  0n,
  (writer, value) => {
    const bits = BigInt.asUintN(64, value);
    writer.int64({ low: Number(bits & 0xffffffffn) | 0, high: Number(bits >> 32n) | 0, unsigned: false } as Long);
  },
  (reader) => toBigInt(reader.int64()),
);

// Without the Long library, protobufjs returns numbers or objects of two 32-bit halves.

function toNumber(value: Long | number): number {
  if (typeof value === "number") return value;
  return (value.unsigned ? value.high >>> 0 : value.high) * 2 ** 32 + (value.low >>> 0);
}

function toBigInt(value: Long | number): bigint {
  if (typeof value === "number") return BigInt(value);
  const high = BigInt(value.unsigned ? value.high >>> 0 : value.high);
  return (high << 32n) | BigInt(value.low >>> 0);
}

/** See {@link enumeration}. */
export class Enumeration<N extends string> extends Singular<N> {
  readonly wireType = VARINT;
  readonly names: readonly [N, ...N[]];
  readonly #unknown: N;

  constructor(names: readonly [N, ...N[]]) {
    super();
    this.names = names;
    this.#unknown = names.findLast((name) => name.endsWith("UNKNOWN")) ?? names[0];
  }

  initial(): N {
    return this.names[0];
  }

  writeValue(writer: Writer, value: N): void {
    const number = this.names.indexOf(value);
    if (number < 0) throw new TypeError(`Cannot encode enum value "${value}": must be one of ${this.names.join(", ")}`);
    writer.int32(number);
  }

  readValue(reader: Reader): N {
    return this.names[reader.int32()] ?? this.#unknown;
  }
}

/**
 * An enumeration, held as the name of its value.
 *
 * @param names in the order of their numbers, from 0. A number without a name is read as the last name that ends in
 * `UNKNOWN`, otherwise as the first one
 */
export function enumeration<const N extends string>(...names: readonly [N, ...N[]]): Enumeration<N> {
  return new Enumeration(names);
}

/** A repeated field. Numbers are written packed and read in both forms. */
export class List<T> implements Field<T[]> {
  readonly element: Singular<T>;

  constructor(element: Singular<T>) {
    this.element = element;
  }

  initial(): T[] {
    return [];
  }

  write(writer: Writer, number: number, values: T[]): void {
    if (values.length === 0) return;
    const { element } = this;
    if (element.wireType === DELIMITED) {
      for (const value of values) {
        writer.uint32((number << 3) | DELIMITED);
        element.writeValue(writer, value);
      }
      return;
    }
    writer.uint32((number << 3) | DELIMITED).fork();
    for (const value of values) element.writeValue(writer, value);
    writer.ldelim();
  }

  read(reader: Reader, wireType: number, current: T[] = []): T[] {
    if (wireType === this.element.wireType) current.push(this.element.readValue(reader));
    else if (wireType === DELIMITED) {
      const outerEnd = enterDelimited(reader);
      while (reader.pos < reader.len) current.push(this.element.readValue(reader));
      reader.len = outerEnd;
    } else reader.skipType(wireType);
    return current;
  }
}

/** A repeated field of the given kind. */
export function list<T>(element: Singular<T>): List<T> {
  return new List(element);
}

type Texts = Record<string, string>;

/** Tags of the parts of a map's entry. */
const KEY_TAG = (1 << 3) | DELIMITED;
const VALUE_TAG = (2 << 3) | DELIMITED;

/** A `map<string, string>`, held as a plain object. */
class StringMap implements Field<Texts> {
  readonly #keys: readonly { readonly key: string; readonly bytes: Buffer }[] | undefined;

  /** @param keys the entries that are read @default all */
  constructor(keys?: readonly string[]) {
    this.#keys = keys?.map((key) => ({ key, bytes: Buffer.from(key) }));
  }

  initial(): Texts {
    return {};
  }

  write(writer: Writer, number: number, map: Texts): void {
    for (const [key, value] of Object.entries(map)) {
      writer.uint32((number << 3) | DELIMITED).fork();
      // Both parts are always written, even if they are empty, as other implementations do.
      writer.uint32(KEY_TAG).string(key);
      writer.uint32(VALUE_TAG).string(value);
      writer.ldelim();
    }
  }

  read(reader: Reader, wireType: number, current: Texts = {}): Texts {
    if (wireType !== DELIMITED) {
      reader.skipType(wireType);
      return current;
    }
    let key: string | undefined;
    let value: string | undefined;
    const outerEnd = enterDelimited(reader);
    const end = reader.len;
    while (reader.pos < end) {
      const tag = reader.tag();
      if (tag === KEY_TAG) key = this.#readKey(reader);
      else if (tag === VALUE_TAG) value = reader.string();
      else reader.skipType(tag & 7);
      // Keys come first: the value of an entry that is not wanted need not be read.
      if (tag === KEY_TAG && key === undefined) reader.pos = end;
    }
    reader.len = outerEnd;
    if (this.#keys === undefined || key !== undefined) setOwn(current, key ?? "", value ?? "");
    return current;
  }

  /** The key of an entry; undefined if it is not wanted. */
  #readKey(reader: Reader): string | undefined {
    if (this.#keys === undefined) return reader.string();
    const length = reader.size();
    const from = reader.pos;
    reader.skip(length);
    const isAt = (bytes: Buffer) => bytes.length === length && bytes.every((byte, i) => byte === reader.buf[from + i]);
    return this.#keys.find(({ bytes }) => isAt(bytes))?.key;
  }
}

/** A `map<string, string>`, held as a plain object. */
export const stringMap: Field<Texts> = new StringMap();

/** As {@link stringMap}, but only the entries with these keys are read. */
export const entriesOf = (...keys: readonly string[]): Field<Texts> => new StringMap(keys);

function setOwn(map: Texts, key: string, value: string): void {
  // A plain assignment to "__proto__" would replace the prototype instead of adding a key.
  if (key === "__proto__")
    Object.defineProperty(map, key, { value, enumerable: true, configurable: true, writable: true });
  else map[key] = value;
}

/**
 * Reads the length of a value and makes the reader stop at its end.
 *
 * @returns the previous end; the caller must assign it to `reader.len` after reading the value
 * @throws RangeError if the value is truncated
 */
export function enterDelimited(reader: Reader): number {
  const outerEnd = reader.len;
  const end = reader.size() + reader.pos;
  if (end > outerEnd) throw new RangeError(`Cannot decode CRI message: needs ${end} bytes, found ${outerEnd}`);
  reader.len = end;
  return outerEnd;
}
