import protobuf from "protobufjs/minimal.js";
import { enums } from "./enums.ts";
import { messages } from "./messages.ts";
import { type FieldCodec, scalarCodecs } from "./scalars.ts";

const { Reader, Writer } = protobuf;
type Reader = protobuf.Reader;
type Writer = protobuf.Writer;
type Value = Record<string, unknown>;

/** Encoder and decoder of one message. */
export interface MessageCodec {
  /** Bytes of `value`; absent fields and zero values take no room. */
  encode(value: object): Buffer;
  /**
   * The message in `bytes`: scalars, lists and maps are always there, messages and wrappers only when sent. Unknown
   * fields are skipped, unknown enum numbers become the enum's last name ending in `UNKNOWN`, else its first.
   *
   * @throws RangeError on truncated or malformed input
   */
  decode(bytes: Uint8Array): unknown;
}

interface CompiledField {
  readonly name: string;
  readonly number: number;
  readonly repeated: boolean;
  readonly map: boolean;
  readonly codec: FieldCodec;
}

interface CompiledMessage {
  readonly fields: readonly CompiledField[];
  readonly byNumber: ReadonlyMap<number, CompiledField>;
}

/** Makes a codec source that compiles each message on first use. */
export function createCodecs(): (message: string) => MessageCodec {
  const compiled = new Map<string, CompiledMessage>();

  function compile(name: string): CompiledMessage {
    const known = compiled.get(name);
    if (known !== undefined) return known;
    const spec = messages[name];
    if (spec === undefined) throw new TypeError(`Cannot compile CRI message "${name}": no such message in runtime.v1`);
    const fields = Object.entries(spec).map(([field, [number, type]]): CompiledField => {
      const repeated = type.startsWith("[]");
      const map = type === "map";
      const element = repeated ? type.slice(2) : map ? "string" : type;
      return { name: field, number, repeated, map, codec: codecOf(element) };
    });
    const message = { fields, byNumber: new Map(fields.map((field) => [field.number, field])) };
    compiled.set(name, message);
    return message;
  }

  function codecOf(type: string): FieldCodec {
    const scalar = scalarCodecs[type];
    if (scalar !== undefined) return scalar;
    if (type in enums) return enumCodec(enums[type as keyof typeof enums]);
    return {
      wireType: 2,
      absent: undefined,
      write: (writer, value) => {
        writer.fork();
        writeMessage(compile(type), writer, value as Value);
        writer.ldelim();
      },
      read: (reader) => readMessage(compile(type), reader, readEnd(reader)),
    };
  }

  return (name) => {
    const message = compile(name);
    return {
      encode: (value) => {
        const writer = Writer.create();
        writeMessage(message, writer, value as Value);
        return Buffer.from(writer.finish());
      },
      decode: (bytes) => {
        const reader = Reader.create(bytes);
        return readMessage(message, reader, bytes.length);
      },
    };
  };
}

function readEnd(reader: Reader): number {
  const length = reader.uint32();
  return reader.pos + length;
}

function writeMessage(message: CompiledMessage, writer: Writer, value: Value): void {
  for (const field of message.fields) {
    const given = value[field.name];
    if (given === undefined || given === null) continue;
    const tag = (field.number << 3) | field.codec.wireType;
    if (field.map) {
      for (const [key, entry] of Object.entries(given as Record<string, string>)) {
        writer.uint32(tag).fork();
        writer.uint32((1 << 3) | 2).string(key);
        writer.uint32((2 << 3) | 2).string(entry);
        writer.ldelim();
      }
    } else if (field.repeated) {
      writeRepeated(field, writer, given as unknown[], tag);
    } else if (given !== field.codec.absent) {
      writer.uint32(tag);
      field.codec.write(writer, given);
    }
  }
}

function writeRepeated(field: CompiledField, writer: Writer, values: readonly unknown[], tag: number): void {
  if (values.length === 0) return;
  if (field.codec.wireType === 0) {
    writer.uint32((field.number << 3) | 2).fork();
    for (const value of values) field.codec.write(writer, value);
    writer.ldelim();
    return;
  }
  for (const value of values) {
    writer.uint32(tag);
    field.codec.write(writer, value);
  }
}

function readMessage(message: CompiledMessage, reader: Reader, end: number): Value {
  if (end > reader.len) throw new RangeError(`Cannot decode CRI message: needs ${end} bytes, found ${reader.len}`);
  const value: Value = {};
  for (const field of message.fields) {
    if (field.repeated) value[field.name] = [];
    else if (field.map) value[field.name] = {};
    else if (field.codec.absent !== undefined) value[field.name] = field.codec.absent;
  }
  while (reader.pos < end) {
    const tag = reader.uint32();
    const field = message.byNumber.get(tag >>> 3);
    const wireType = tag & 7;
    if (field === undefined) reader.skipType(wireType);
    else if (field.map && wireType === 2) readEntry(value[field.name] as Record<string, string>, reader);
    else if (field.repeated) readRepeated(field, value[field.name] as unknown[], reader, wireType);
    else if (wireType === field.codec.wireType) value[field.name] = field.codec.read(reader);
    else reader.skipType(wireType);
  }
  return value;
}

function readRepeated(field: CompiledField, list: unknown[], reader: Reader, wireType: number): void {
  if (wireType === field.codec.wireType) {
    list.push(field.codec.read(reader));
  } else if (wireType === 2 && field.codec.wireType === 0) {
    const end = readEnd(reader);
    while (reader.pos < end) list.push(field.codec.read(reader));
  } else {
    reader.skipType(wireType);
  }
}

function readEntry(map: Record<string, string>, reader: Reader): void {
  const end = readEnd(reader);
  let key = "";
  let entry = "";
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag === ((1 << 3) | 2)) key = reader.string();
    else if (tag === ((2 << 3) | 2)) entry = reader.string();
    else reader.skipType(tag & 7);
  }
  // A plain assignment to "__proto__" would replace the prototype instead of adding a key.
  Object.defineProperty(map, key, { value: entry, enumerable: true, configurable: true, writable: true });
}

function enumCodec(names: readonly string[]): FieldCodec {
  const unknown = names.findLast((name) => name.endsWith("UNKNOWN")) ?? names[0] ?? "";
  return {
    wireType: 0,
    absent: names[0],
    write: (writer, value) => {
      const number = names.indexOf(String(value));
      if (number < 0) throw new TypeError(`Cannot encode enum value "${value}": must be one of ${names.join(", ")}`);
      writer.int32(number);
    },
    read: (reader) => names[reader.int32()] ?? unknown,
  };
}
