import packet from "dns-packet";

/** Where the parts of a record are in a message, as offsets of bytes. */
export interface RecordSpan {
  readonly start: number;
  readonly type: number;
  /** For an OPT record the size of the largest datagram that the sender accepts (RFC 6891, section 6.1.2). */
  readonly class: number;
  readonly ttlOffset: number;
  readonly ttl: number;
  readonly dataOffset: number;
  /** The end of the data, where the next record starts. */
  readonly end: number;
}

/** A record's time to live in seconds: with the highest bit set it counts as 0 (RFC 2181, section 8). */
export const ttlOf = ({ ttl }: RecordSpan): number => (ttl > 0x7fff_ffff ? 0 : ttl);

/** Bytes of a record between its name and its data: type, class, TTL and length. */
const FIXED_BYTES = 10;

/** A message that ends too early, or whose names or lengths are not valid. */
export class MalformedMessageError extends Error {
  override name = "MalformedMessageError";
}

/**
 * Reads a name as dns-packet does: pointers must go backwards, and the name must fit into 254 bytes.
 *
 * @throws MalformedMessageError
 */
export function readName(bytes: Buffer, offset: number): { readonly name: string; readonly end: number } {
  try {
    const name = packet.name.decode(bytes, offset);
    return { name, end: offset + packet.name.decode.bytes };
  } catch (error) {
    throw new MalformedMessageError("The message contains an invalid name", { cause: error });
  }
}

/**
 * Reads the extent of the record at an offset.
 *
 * @throws MalformedMessageError
 */
function readRecordSpan(bytes: Buffer, start: number): RecordSpan {
  const { end: at } = readName(bytes, start);
  const dataOffset = at + FIXED_BYTES;
  if (dataOffset > bytes.length) throw new MalformedMessageError("The message ends within a record");
  const end = dataOffset + bytes.readUInt16BE(at + 8);
  if (end > bytes.length) throw new MalformedMessageError("The message ends within the data of a record");
  return {
    start,
    type: bytes.readUInt16BE(at),
    class: bytes.readUInt16BE(at + 2),
    ttlOffset: at + 4,
    ttl: bytes.readUInt32BE(at + 4),
    dataOffset,
    end,
  };
}

/**
 * Reads the extents of `count` records.
 *
 * @throws MalformedMessageError
 */
export function readRecordSpans(bytes: Buffer, start: number, count: number): readonly RecordSpan[] {
  const spans: RecordSpan[] = [];
  let offset = start;
  // The count is the sender's; every record takes at least 11 bytes, so that the loop ends with the message.
  for (let left = count; left > 0; left--) {
    const span = readRecordSpan(bytes, offset);
    spans.push(span);
    offset = span.end;
  }
  return spans;
}
