/**
 * @module Protobuf messages that consist of strings, bytes and messages only, as those of key management services do.
 */
import protobuf from "protobufjs/minimal.js";

const { BufferReader, Writer } = protobuf;
/** The wire type of strings, bytes and messages. */
const DELIMITED = 2;

/** Values by field number. A map is written as one message with key and value for each entry. */
type Values = Readonly<Record<number, string | Uint8Array | ReadonlyMap<string, Buffer>>>;

/** Encodes a message. */
export function encodeFields(values: Values): Buffer {
  const writer = Writer.create();
  for (const [number, value] of Object.entries(values)) {
    const tag = (Number(number) << 3) | DELIMITED;
    if (typeof value === "string") writer.uint32(tag).string(value);
    else if (value instanceof Uint8Array) writer.uint32(tag).bytes(value);
    else for (const [key, entry] of value) writer.uint32(tag).bytes(encodeFields({ 1: key, 2: entry }));
  }
  return Buffer.from(writer.finish());
}

/** The fields of a message in their order. */
export type Fields = readonly (readonly [number: number, value: Buffer])[];

/** Reads the fields of strings, bytes and messages; others are skipped. @throws RangeError for bytes that are not a message */
export function fieldsOf(bytes: Buffer): Fields {
  const fields: [number, Buffer][] = [];
  const reader = new BufferReader(bytes);
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if ((tag & 7) === DELIMITED) fields.push([tag >>> 3, Buffer.from(reader.bytes())]);
    else reader.skipType(tag & 7);
  }
  return fields;
}

/** The last value of a field; empty if there is none. */
export function one(fields: Fields, number: number): Buffer {
  return fields.findLast(([field]) => field === number)?.[1] ?? Buffer.alloc(0);
}

/** The last value of a field as text; empty if there is none. */
export function text(fields: Fields, number: number): string {
  return one(fields, number).toString();
}
