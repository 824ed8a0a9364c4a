import packet, { type Answer } from "dns-packet";
import { FLAGS, HEADER_BYTES, MAX_MESSAGE_BYTES, type Rcode, writeHeader } from "./header.ts";
import { OPT_BYTES, writeOpt } from "./opt-record.ts";
import type { Query } from "./query.ts";
import { CLASS_IN } from "./record-types.ts";

/** A record of class IN whose data is written as it is. */
export interface RawRecord {
  readonly type: "RAW";
  readonly typeNumber: number;
  readonly name: string;
  /** Time to live in seconds. */
  readonly ttl: number;
  readonly data: Buffer;
}

/** A record of an answer. */
export type WrittenRecord = Answer | RawRecord;

/** The contents of an answer. Names of records are in lower case. */
export interface Reply {
  readonly rcode: Rcode;
  readonly authoritative?: boolean;
  readonly answers?: readonly WrittenRecord[];
  readonly authorities?: readonly WrittenRecord[];
  readonly additionals?: readonly WrittenRecord[];
}

/** What an answer repeats of its query. */
export type AnsweredQuery = Pick<Query, "id" | "flags"> & Partial<Query>;

/** Largest offset that a pointer of a name can hold, and the bits that mark one (RFC 1035, section 4.1.4). */
const MAX_POINTER = 0x3fff;
const POINTER = 0xc000;

/** Space after the largest message, for the record that no longer fits: a name, ten bytes, and as much data as there can be. */
const SLACK_BYTES = 255 + 10 + 0xffff;

/** Writes answers. It has one buffer for all of them, because the size of an answer is known only afterwards. */
export class ReplyWriter {
  readonly #scratch = Buffer.alloc(MAX_MESSAGE_BYTES + SLACK_BYTES);
  /** Offsets of names that are written in this message. */
  readonly #names = new Map<string, number>();
  #offset = 0;
  #limit = 0;

  /**
   * Writes an answer of at most `limitBytes`. If answers or authorities do not fit, those that do are written, and the
   * answer is marked as truncated; additional records are left out without a mark.
   */
  write(query: AnsweredQuery, reply: Reply, limitBytes: number): Buffer {
    const { question, name = "", edns } = query;
    this.#names.clear();
    this.#offset = HEADER_BYTES;
    this.#limit = Math.min(limitBytes, MAX_MESSAGE_BYTES) - (edns === undefined ? 0 : OPT_BYTES);
    if (question !== undefined) {
      question.copy(this.#scratch, this.#offset);
      if (name !== "") this.#names.set(name, this.#offset);
      this.#offset += question.length;
    }
    const answers = this.#writeAll(reply.answers);
    const complete = answers === (reply.answers?.length ?? 0);
    const authorities = complete ? this.#writeAll(reply.authorities) : 0;
    const truncated = !complete || authorities < (reply.authorities?.length ?? 0);
    let additionals = truncated ? 0 : this.#writeAll(reply.additionals);
    if (edns !== undefined) {
      writeOpt(this.#scratch, this.#offset, { dnssecOk: edns.dnssecOk, extendedRcode: reply.rcode >> 4 });
      this.#offset += OPT_BYTES;
      additionals++;
    }
    const flags =
      FLAGS.response |
      FLAGS.recursionAvailable |
      (query.flags & (FLAGS.recursionDesired | FLAGS.checkingDisabled | 0x7800)) |
      (reply.authoritative ? FLAGS.authoritative : 0) |
      (truncated ? FLAGS.truncated : 0) |
      (reply.rcode & 0xf);
    const questions = question === undefined ? 0 : 1;
    writeHeader(this.#scratch, { id: query.id, flags, questions, answers, authorities, additionals });
    return Buffer.from(this.#scratch.subarray(0, this.#offset));
  }

  /** Writes records until one does not fit; returns how many were written. */
  #writeAll(records: readonly WrittenRecord[] = []): number {
    let written = 0;
    for (const record of records) {
      const start = this.#offset;
      this.#writeRecord(record);
      if (this.#offset > this.#limit) {
        this.#offset = start;
        return written;
      }
      this.#rememberNames(record, start);
      written++;
    }
    return written;
  }

  #writeRecord(record: WrittenRecord): void {
    const pointer = this.#names.get(record.name);
    if (pointer === undefined) {
      this.#offset += encode(record, this.#scratch, this.#offset);
      return;
    }
    // The record is written with the root's name, a single byte, one byte further on; the two bytes of the pointer
    // replace that byte and the one before it.
    const bytes = encode({ ...record, name: "." }, this.#scratch, this.#offset + 1);
    this.#scratch.writeUInt16BE(POINTER | pointer, this.#offset);
    this.#offset += bytes + 1;
  }

  /** Later records may point to the owner of this one, and to the name at the end of its data. */
  #rememberNames(record: WrittenRecord, start: number): void {
    const remember = (name: string, offset: number) => {
      if (offset <= MAX_POINTER && !this.#names.has(name)) this.#names.set(name, offset);
    };
    remember(record.name, start);
    const target = targetOf(record);
    if (target !== undefined) remember(target, this.#offset - packet.name.encodingLength(target));
  }
}

/** Writes a record; returns its length in bytes. */
function encode(record: WrittenRecord, bytes: Buffer, offset: number): number {
  if (record.type !== "RAW") {
    packet.answer.encode(record, bytes, offset);
    return packet.answer.encode.bytes;
  }
  packet.name.encode(record.name, bytes, offset);
  let at = offset + packet.name.encode.bytes;
  at = bytes.writeUInt16BE(record.typeNumber, at);
  at = bytes.writeUInt16BE(CLASS_IN, at);
  at = bytes.writeUInt32BE(record.ttl, at);
  at = bytes.writeUInt16BE(record.data.length, at);
  return at + record.data.copy(bytes, at) - offset;
}

function targetOf(record: WrittenRecord): string | undefined {
  switch (record.type) {
    case "CNAME":
    case "PTR":
    case "NS":
      return record.data;
    case "SRV":
      return record.data.target;
    default:
      return undefined;
  }
}
