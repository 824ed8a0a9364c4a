import { DecodeError } from "@orchernetes/apimachinery";
import type { ByteQueue } from "./byte-queue.ts";

/** The beginning of a field of bytes. */
export interface FieldHeader {
  readonly id: number;
  /** Bytes of the header itself. */
  readonly size: number;
  /** Bytes of the content. */
  readonly length: number;
}

/** Bytes of the longest number that is read: 49 bits. */
const maxVarintBytes = 7;
/** The wire type of bytes, texts and messages. */
const DELIMITED = 2;

/**
 * Takes the header of the next field, whose content is bytes; undefined if it has not arrived as a whole, and then nothing is taken.
 *
 * @throws DecodeError for a field of another type, or a number of more than 49 bits
 */
export function readFieldHeader(queue: ByteQueue): FieldHeader | undefined {
  const bytes = queue.peek(2 * maxVarintBytes);
  const tag = readVarint(bytes, 0);
  if (tag === undefined) return undefined;
  const id = Math.floor(tag.value / 8);
  if (tag.value % 8 !== DELIMITED || id < 1) throw new DecodeError(`proto: illegal tag ${tag.value}`);
  const length = readVarint(bytes, tag.end);
  if (length === undefined) return undefined;
  queue.take(length.end);
  return { id, size: length.end, length: length.value };
}

/** Reads a number. @returns undefined if its last byte is missing; where it ends */
function readVarint(bytes: Uint8Array, from: number): { readonly value: number; readonly end: number } | undefined {
  let value = 0;
  for (let at = from; ; at++) {
    const byte = bytes[at];
    if (at - from === maxVarintBytes) throw new DecodeError("proto: integer overflow");
    if (byte === undefined) return undefined;
    // No shifts: they have 32 bits.
    value += (byte & 0x7f) * 2 ** (7 * (at - from));
    if (byte < 0x80) return { value, end: at + 1 };
  }
}
