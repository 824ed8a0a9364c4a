import type protobuf from "protobufjs/minimal.js";

/** Writes and reads the value of one field, without its tag. */
export interface FieldCodec {
  readonly wireType: 0 | 2;
  /** Value that is not written, and stands for a field that was not sent. */
  readonly absent: unknown;
  write(writer: protobuf.Writer, value: unknown): void;
  read(reader: protobuf.Reader): unknown;
}

type Bits = ReturnType<protobuf.Reader["int64"]>;

/** Codecs of the scalar types of the spec language. */
export const scalarCodecs: Readonly<Record<string, FieldCodec | undefined>> = {
  string: {
    wireType: 2,
    absent: "",
    write: (writer, value) => writer.string(String(value)),
    read: (reader) => reader.string(),
  },
  bytes: {
    wireType: 2,
    absent: new Uint8Array(),
    write: (writer, value) => writer.bytes(value as Uint8Array),
    // A copy: the reader's view would keep the whole answer alive.
    read: (reader) => Uint8Array.from(reader.bytes()),
  },
  bool: {
    wireType: 0,
    absent: false,
    write: (writer, value) => writer.bool(Boolean(value)),
    read: (reader) => reader.bool(),
  },
  int32: integer(
    (writer, value) => writer.int32(value),
    (reader) => reader.int32(),
  ),
  uint32: integer(
    (writer, value) => writer.uint32(value),
    (reader) => reader.uint32(),
  ),
  int64: integer(
    (writer, value) => writer.int64(value),
    (reader) => Number(toBigInt(reader.int64())),
  ),
  uint64: integer(
    (writer, value) => writer.uint64(value),
    (reader) => Number(toBigInt(reader.uint64())),
  ),
  nanos: {
    wireType: 0,
    absent: 0n,
    write: (writer, value) => {
      const bits = BigInt.asUintN(64, value as bigint);
      writer.int64({ low: Number(bits & 0xffffffffn) | 0, high: Number(bits >> 32n) | 0, unsigned: false } as Bits);
    },
    read: (reader) => toBigInt(reader.int64()),
  },
  Int64Value: wrapper("int64"),
  UInt64Value: wrapper("uint64"),
};

function integer(
  write: (writer: protobuf.Writer, value: number) => void,
  read: (reader: protobuf.Reader) => number,
): FieldCodec {
  return {
    wireType: 0,
    absent: 0,
    write: (writer, value) => {
      if (!Number.isInteger(value)) throw new TypeError(`Cannot encode integer: found ${String(value)}`);
      write(writer, value as number);
    },
    read,
  };
}

function wrapper(type: "int64" | "uint64"): FieldCodec {
  return {
    wireType: 2,
    absent: undefined,
    write: (writer, value) => {
      writer.fork();
      if (value !== 0) writer.uint32(1 << 3)[type](value as number);
      writer.ldelim();
    },
    read: (reader) => {
      const end = reader.uint32() + reader.pos;
      let value = 0;
      while (reader.pos < end) {
        const tag = reader.uint32();
        if (tag === 1 << 3) value = Number(toBigInt(reader[type]()));
        else reader.skipType(tag & 7);
      }
      return value;
    },
  };
}

function toBigInt(value: Bits | number): bigint {
  if (typeof value === "number") return BigInt(value);
  const high = BigInt(value.unsigned ? value.high >>> 0 : value.high);
  return (high << 32n) | BigInt(value.low >>> 0);
}
