import type { MessageSchema, ScalarKind, Schema } from "../../schema/index.ts";
import { parseDuration } from "../../time/duration.ts";
import { parseInstant } from "../../time/time.ts";
import { canonicalize } from "../decoder.ts";
import { getOwn } from "../json.ts";
import { goJsonText } from "../raw-text.ts";
import { type MessagePlan, planOf } from "./plan.ts";
import { ReverseWriter } from "./writer.ts";

type Source = Readonly<Record<string, unknown>>;

/**
 * Encodes an object to wire bytes, without an envelope. The object is converted to canonical form first.
 *
 * @throws DecodeError if it does not fit the schema
 */
export function encodeMessage<T>(schema: MessageSchema<T>, object: T): Buffer {
  const writer = new ReverseWriter();
  writeMessage(writer, planOf(schema), canonicalize<T>(schema, object) as Source);
  return writer.finish();
}

/**
 * Messages are written backwards, from the last field to the first: when the header of a nested message is written
 * its length is known, so nothing is measured before or moved afterwards.
 */
function writeMessage(writer: ReverseWriter, plan: MessagePlan, source: Source): void {
  for (const id of plan.descending) {
    const nested = plan.nested.get(id);
    if (nested !== undefined) {
      const mark = writer.length;
      writeMessage(writer, nested, source);
      writer.close(id, mark);
      continue;
    }
    const field = plan.fields.get(id);
    const value = field === undefined ? undefined : getOwn(source, field.name);
    if (field !== undefined && value !== undefined && value !== null) {
      writeField(writer, id, field.schema, value, field.keepZero);
    }
  }
}

/**
 * Writes one field.
 *
 * @param keepZero whether "", 0 and false are written as well: for members that clients distinguish from absent ones,
 *   list items and map values
 */
function writeField(writer: ReverseWriter, id: number, schema: Schema, value: unknown, keepZero: boolean): void {
  switch (schema.kind) {
    case "list": {
      const items = value as readonly unknown[];
      for (let i = items.length - 1; i >= 0; i--) {
        writeItem(writer, id, schema.item, items[i]);
      }
      return;
    }
    case "map": {
      for (const [key, item] of Object.entries(value as Source).reverse()) {
        const mark = writer.length;
        // Null stays null: an entry without a value.
        if (item !== null) {
          writeItem(writer, 2, schema.value, item);
        }
        writeText(writer, 1, key);
        writer.close(id, mark);
      }
      return;
    }
    case "message": {
      const mark = writer.length;
      writeMessage(writer, planOf(schema), schema.custom?.toFields?.(value) ?? (value as Source));
      writer.close(id, mark);
      return;
    }
    default:
      if (keepZero || (value !== "" && value !== 0 && value !== false)) {
        scalarWriters[schema.kind](writer, id, value);
      }
  }
}

/** Writes a list item or map value. Lists and maps in such places are wrapped in a message, at field 1. */
function writeItem(writer: ReverseWriter, id: number, schema: Schema, value: unknown): void {
  if (schema.kind !== "list" && schema.kind !== "map" && value !== null) {
    writeField(writer, id, schema, value, true);
    return;
  }
  const mark = writer.length;
  if (value !== null) {
    writeField(writer, 1, schema, value, true);
  }
  writer.close(id, mark);
}

type WriteScalar = (writer: ReverseWriter, id: number, value: unknown) => void;

function writeText(writer: ReverseWriter, id: number, value: string): void {
  const mark = writer.length;
  writer.text(value);
  writer.close(id, mark);
}

function writeBytes(writer: ReverseWriter, id: number, value: Uint8Array): void {
  const mark = writer.length;
  writer.raw(value);
  writer.close(id, mark);
}

function writeInteger(writer: ReverseWriter, id: number, value: number): void {
  writer.varint(value);
  writer.tag(id, 0);
}

const integer: WriteScalar = (writer, id, value) => writeInteger(writer, id, Number(value));
const instant: WriteScalar = (writer, id, value) => {
  const { seconds, nanos } = parseInstant(String(value));
  // Both numbers are written, also when they are zero: an empty message stands for no time at all.
  const mark = writer.length;
  writeInteger(writer, 2, nanos);
  writeInteger(writer, 1, seconds);
  writer.close(id, mark);
};
/** JSON text, wrapped in a message. */
const rawJson: WriteScalar = (writer, id, value) => {
  const mark = writer.length;
  writeText(writer, 1, goJsonText(JSON.stringify(value)));
  writer.close(id, mark);
};

const double: WriteScalar = (writer, id, value) => {
  writer.double(Number(value));
  writer.tag(id, 1);
};

const scalarWriters: Readonly<Record<ScalarKind, WriteScalar>> = {
  string: (writer, id, value) => writeText(writer, id, String(value)),
  bool: (writer, id, value) => writeInteger(writer, id, value === true ? 1 : 0),
  int32: integer,
  int64: integer,
  uint32: integer,
  double,
  number: double,
  bytes: (writer, id, value) => writeBytes(writer, id, Buffer.from(String(value), "base64")),
  quantity: (writer, id, value) => {
    const mark = writer.length;
    writeText(writer, 1, String(value));
    writer.close(id, mark);
  },
  time: instant,
  microTime: instant,
  duration: (writer, id, value) => {
    const mark = writer.length;
    writeInteger(writer, 1, Math.round(parseDuration(String(value)) * 1e6));
    writer.close(id, mark);
  },
  intOrString: (writer, id, value) => {
    const mark = writer.length;
    if (typeof value === "string") {
      writeText(writer, 3, value);
      writeInteger(writer, 1, 1);
    } else {
      writeInteger(writer, 2, Number(value));
      writeInteger(writer, 1, 0);
    }
    writer.close(id, mark);
  },
  raw: rawJson,
  json: rawJson,
};
