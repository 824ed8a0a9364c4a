import type { MessageSchema, ScalarKind, Schema } from "../../schema/index.ts";
import { formatDuration } from "../../time/duration.ts";
import { DecodeError } from "../decode-error.ts";
import { decoderFor } from "../decoder.ts";
import { defaultMaxDepth, getOwn, maxContainers, maxItems, maxMembers, parseJson, setOwn } from "../json.ts";
import { type MessagePlan, planOf } from "./plan.ts";
import { Reader, textOf } from "./reader.ts";

type Target = Record<string, unknown>;

/**
 * Decodes wire bytes without an envelope to canonical form. Fields that the schema does not have are skipped.
 *
 * @throws DecodeError
 */
export function decodeMessage<T>(schema: MessageSchema<T>, bytes: Uint8Array): T {
  const tree: Target = {};
  const outer = { messages, items };
  messages = 0;
  items = 0;
  try {
    readMessage(planOf(schema), bytes, tree, 0);
  } finally {
    ({ messages, items } = outer);
  }
  return decoderFor(schema).decode(tree);
}

/**
 * Number of nested messages and map entries read so far. It is limited because an empty one takes only two bytes. A
 * module variable suffices, because decoding is synchronous.
 */
let messages = 0;

/** Number of list items read so far. */
let items = 0;

function countItem(): void {
  if (++items > maxItems) throw new DecodeError(`proto: the message has more than ${maxItems} items in its lists`);
}

function countMessage(most: number): void {
  if (++messages > most) {
    throw new DecodeError(`proto: the message has more than ${most} messages in it`);
  }
}

/**
 * Reads fields into `target`. A repeated field adds to its list or map; of a single one that occurs twice the last
 * counts (proto3).
 */
function readMessage(plan: MessagePlan, bytes: Uint8Array, target: Target, depth: number): void {
  countMessage(maxContainers);
  if (depth > defaultMaxDepth) {
    throw new DecodeError(`proto: exceeded max depth: the message nests deeper than ${defaultMaxDepth} levels`);
  }
  const reader = new Reader(bytes);
  while (!reader.done) {
    const { field: id, wire } = reader.tag();
    const nested = plan.nested.get(id);
    const field = plan.fields.get(id);
    if (nested !== undefined && wire === 2) {
      readMessage(nested, reader.bytes(), target, depth + 1);
    } else if (field !== undefined) {
      readField(reader, wire, field.schema, target, field.name, depth);
    } else {
      reader.skip(wire);
    }
  }
}

function readField(reader: Reader, wire: number, schema: Schema, target: Target, name: string, depth: number): void {
  if (schema.kind === "list") {
    const known = getOwn(target, name);
    const list: unknown[] = Array.isArray(known) ? known : [];
    if (!Array.isArray(known)) {
      setOwn(target, name, list);
    }
    if (wire === 2 && wireOf(schema.item) !== 2) {
      // Packed numbers: several values with one tag.
      const packed = new Reader(reader.bytes());
      while (!packed.done) {
        countItem();
        list.push(readValue(packed, wireOf(schema.item), schema.item, depth));
      }
    } else {
      countItem();
      list.push(readValue(reader, wire, schema.item, depth));
    }
    return;
  }
  if (schema.kind === "map") {
    const known = getOwn(target, name);
    const map = (typeof known === "object" && known !== null ? known : {}) as Target;
    setOwn(target, name, map);
    expectWire(wire, 2);
    countMessage(maxMembers);
    const { key, value } = readEntry(new Reader(reader.bytes()), schema.value, depth);
    setOwn(map, key, value);
    return;
  }
  setOwn(target, name, readValue(reader, wire, schema, depth));
}

function readEntry(reader: Reader, schema: Schema, depth: number): { readonly key: string; readonly value: unknown } {
  let key = "";
  // An entry without a value has the zero value, which null represents.
  let value: unknown = null;
  while (!reader.done) {
    const { field, wire } = reader.tag();
    if (field === 1 && wire === 2) {
      key = textOf(reader.bytes());
    } else if (field === 2) {
      value = readValue(reader, wire, schema, depth);
    } else {
      reader.skip(wire);
    }
  }
  return { key, value };
}

function readValue(reader: Reader, wire: number, schema: Schema, depth: number): unknown {
  expectWire(wire, wireOf(schema));
  switch (schema.kind) {
    case "message": {
      const target: Target = {};
      readMessage(planOf(schema), reader.bytes(), target, depth + 1);
      return schema.custom?.fromFields === undefined ? target : schema.custom.fromFields(target);
    }
    case "list":
    case "map": {
      // A list or map inside another is wrapped in a message, at field 1.
      const target: Target = {};
      const inner = new Reader(reader.bytes());
      while (!inner.done) {
        const tag = inner.tag();
        if (tag.field === 1) {
          readField(inner, tag.wire, schema, target, "items", depth + 1);
        } else {
          inner.skip(tag.wire);
        }
      }
      return target.items ?? null;
    }
    default:
      return scalarReaders[schema.kind](reader);
  }
}

function wireOf(schema: Schema): 0 | 1 | 2 {
  switch (schema.kind) {
    case "bool":
    case "int32":
    case "int64":
    case "uint32":
      return 0;
    case "double":
    case "number":
      return 1;
    default:
      return 2;
  }
}

/**
 * Checks a wire type. @throws DecodeError when a field is not encoded as its schema says: the data is of another
 * version or is not protobuf
 */
function expectWire(found: number, wanted: number): void {
  if (found !== wanted) {
    throw new DecodeError(`proto: wrong wireType = ${found}, want ${wanted}`);
  }
}

/** The fields of a small message by number: integers as numbers, all others as bytes. */
function readParts(bytes: Uint8Array): ReadonlyMap<number, number | Uint8Array> {
  const reader = new Reader(bytes);
  const parts = new Map<number, number | Uint8Array>();
  while (!reader.done) {
    const { field, wire } = reader.tag();
    if (wire === 0) {
      parts.set(field, reader.int64());
    } else if (wire === 2) {
      parts.set(field, reader.bytes());
    } else {
      reader.skip(wire);
    }
  }
  return parts;
}

const numberAt = (parts: ReadonlyMap<number, number | Uint8Array>, field: number): number => {
  const part = parts.get(field);
  return typeof part === "number" ? part : 0;
};

const textAt = (parts: ReadonlyMap<number, number | Uint8Array>, field: number): string => {
  const part = parts.get(field);
  return part instanceof Uint8Array ? textOf(part) : "";
};

/** Reads a time; null for an empty message, which means that there is none. */
function readInstant(reader: Reader): string | null {
  const content = reader.bytes();
  if (content.length === 0) {
    return null;
  }
  const parts = readParts(content);
  const seconds = numberAt(parts, 1);
  const nanos = numberAt(parts, 2);
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime()) || nanos < 0 || nanos > 999_999_999) {
    throw new DecodeError(`proto: time of ${seconds} seconds and ${nanos} nanoseconds is out of range`);
  }
  return date.toISOString().replace(/\.000Z$/, `.${String(nanos).padStart(9, "0")}Z`);
}

function readJson(reader: Reader): unknown {
  const parts = readParts(reader.bytes());
  const text = textAt(parts, 1);
  return text === "" ? null : parseJson(text).value;
}

const scalarReaders: Readonly<Record<ScalarKind, (reader: Reader) => unknown>> = {
  string: (reader) => textOf(reader.bytes()),
  bool: (reader) => reader.uint64() !== 0n,
  int32: (reader) => reader.int64(),
  int64: (reader) => reader.int64(),
  uint32: (reader) => reader.int64(),
  double: (reader) => reader.double(),
  number: (reader) => reader.double(),
  bytes: (reader) => Buffer.from(reader.bytes()).toString("base64"),
  quantity: (reader) => textAt(readParts(reader.bytes()), 1) || "0",
  time: readInstant,
  microTime: readInstant,
  duration: (reader) => formatDuration(numberAt(readParts(reader.bytes()), 1) / 1e6),
  intOrString: (reader) => {
    const parts = readParts(reader.bytes());
    return numberAt(parts, 1) === 1 ? textAt(parts, 3) : numberAt(parts, 2);
  },
  raw: readJson,
  json: readJson,
};
