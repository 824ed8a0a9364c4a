import packet, { type Answer } from "dns-packet";
import { fitsMessages } from "../names/domain-name.ts";
import { type RecordSpan, readName, ttlOf } from "./record-span.ts";
import type { RawRecord, WrittenRecord } from "./reply-writer.ts";

/**
 * Types whose data has names that may be pointers to other places of their message (RFC 3597, section 4), and which are
 * read and written again: NS, CNAME, SOA, PTR, MX and SRV.
 */
const READ_AGAIN = new Set([2, 5, 6, 12, 15, 33]);

/** Further types with such names. All of them are obsolete or hardly used, and are not copied: MD to MR, MINFO, RP to NXT. */
const LEFT_OUT = new Set([3, 4, 7, 8, 9, 14, 17, 18, 21, 24, 26, 30]);

/**
 * A record of another server's message for a message of this server. Its data is copied as it is, unless it has names.
 *
 * @param ageSeconds by how much its time to live is lower
 * @returns undefined if the record cannot be written as it was meant: the data of the other server may not be valid
 */
export function copiedRecord(bytes: Buffer, span: RecordSpan, ageSeconds: number): WrittenRecord | undefined {
  if (LEFT_OUT.has(span.type)) return undefined;
  const ttl = Math.max(0, ttlOf(span) - ageSeconds);
  try {
    if (READ_AGAIN.has(span.type)) return readAgain(bytes, span.start, ttl);
    const { name } = readName(bytes, span.start);
    const data = bytes.subarray(span.dataOffset, span.end);
    const record: RawRecord = { type: "RAW", typeNumber: span.type, name, ttl, data };
    return isWritable(name) ? record : undefined;
  } catch {
    // The data of a record may be invalid in a message that is well-formed otherwise.
    return undefined;
  }
}

function readAgain(bytes: Buffer, start: number, ttl: number): WrittenRecord | undefined {
  const record = packet.answer.decode(bytes, start);
  if (record.type === "OPT") return undefined;
  return isWritable(record.name) && namesInData(record).every(isWritable) ? { ...record, ttl } : undefined;
}

function namesInData(record: Answer): readonly string[] {
  switch (record.type) {
    case "NS":
    case "CNAME":
    case "PTR":
      return [record.data];
    case "MX":
      return [record.data.exchange];
    case "SRV":
      return [record.data.target];
    case "SOA":
      return [record.data.mname, record.data.rname];
    default:
      return [];
  }
}

/** Labels may be any bytes, but names are read as UTF-8: one that is not would become another name, or too long. */
const isWritable = (name: string): boolean => name === "." || (fitsMessages(name) && !name.includes("\ufffd"));
