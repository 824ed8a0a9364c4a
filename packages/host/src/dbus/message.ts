import { Reader } from "./reader.ts";
import type { DbusValue, Variant } from "./signature.ts";
import { Writer } from "./writer.ts";

/** The kinds of messages by their number. */
export const messageTypes = { call: 1, reply: 2, error: 3, signal: 4 } as const;

/** A message of D-Bus. */
export interface DbusMessage {
  readonly type: number;
  readonly serial: number;
  readonly path?: string;
  readonly interface?: string;
  readonly member?: string;
  readonly errorName?: string;
  /** Serial of the call that this answers. */
  readonly replySerial?: number;
  readonly destination?: string;
  readonly sender?: string;
  /** Of {@link body}. @default "" */
  readonly signature?: string;
  /** @default none */
  readonly body?: readonly DbusValue[];
}

/** Header fields by their number, with their types. */
const fields = [
  ["path", 1, "o"],
  ["interface", 2, "s"],
  ["member", 3, "s"],
  ["errorName", 4, "s"],
  ["replySerial", 5, "u"],
  ["destination", 6, "s"],
  ["sender", 7, "s"],
  ["signature", 8, "g"],
] as const;

/** Maximum size of a message, in bytes. The specification allows 128 MiB, and nothing that is asked for here needs more than this. */
const maxBytes = 1024 * 1024;
/** The part of the header that is always there. */
const fixedBytes = 16;

/** The wire form of a message. @throws Error if its body does not fit its signature */
export function encodeMessage(message: DbusMessage): Buffer {
  const body = new Writer();
  body.values(message.signature ?? "", message.body ?? []);
  const head = new Writer();
  const entries = fields.flatMap(([name, number, signature]) => {
    const value = message[name];
    return value === undefined || value === "" ? [] : [[number, { signature, value }] as const];
  });
  head.values("yyyyuua(yv)", ["l".charCodeAt(0), message.type, 0, 1, body.length, message.serial, entries]);
  head.align(8);
  return Buffer.concat([head.bytes(), body.bytes()]);
}

/**
 * The size of the message that begins with these bytes; undefined if they are too few to tell.
 *
 * @throws Error if it is larger than 1 MiB, or no message
 */
export function messageBytes(start: Buffer): number | undefined {
  if (start.length < fixedBytes) return undefined;
  const little = isLittle(start);
  const uint32 = (at: number) => (little ? start.readUInt32LE(at) : start.readUInt32BE(at));
  const head = fixedBytes + uint32(12);
  const total = head + ((8 - (head % 8)) % 8) + uint32(4);
  if (total > maxBytes)
    throw new Error(`a D-Bus message of ${total} bytes was announced; at most ${maxBytes} are read`);
  return total;
}

/** Reads one whole message. @throws Error */
export function decodeMessage(bytes: Buffer): DbusMessage {
  const little = isLittle(bytes);
  const reader = new Reader(bytes, little);
  const [, type, , , , serial, entries] = reader.values("yyyyuua(yv)");
  reader.align(8);
  const known: Record<string, DbusValue> = {};
  for (const entry of entries as readonly (readonly [number, Variant])[]) {
    const field = fields.find(([, number]) => number === entry[0]);
    if (field === undefined) continue;
    if (entry[1].signature !== field[2]) throw new Error(`field ${field[0]} of a D-Bus message has another type`);
    known[field[0]] = entry[1].value;
  }
  const signature = typeof known.signature === "string" ? known.signature : "";
  const body = new Reader(bytes.subarray(reader.at), little).values(signature);
  return { ...known, type: type as number, serial: serial as number, signature, body };
}

function isLittle(bytes: Buffer): boolean {
  const mark = bytes.toString("latin1", 0, 1);
  if (mark !== "l" && mark !== "B") throw new Error("the other side does not speak D-Bus");
  return mark === "l";
}
