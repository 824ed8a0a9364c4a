import {
  FLAGS,
  HEADER_BYTES,
  MAX_MESSAGE_BYTES,
  MIN_UDP_BYTES,
  opcodeOf,
  RCODE,
  readHeader,
  writeHeader,
} from "./header.ts";
import { OPT_BYTES, UDP_PAYLOAD_BYTES, writeOpt } from "./opt-record.ts";
import type { Query } from "./query.ts";
import { MalformedMessageError, type RecordSpan, readRecordSpans, ttlOf } from "./record-span.ts";
import { TYPE } from "./record-types.ts";

/** A question that is sent to an upstream server: of a client, or for the target of an external name. */
export type UpstreamQuestion = Pick<Query, "question" | "name" | "type"> & {
  readonly dnssecOk: boolean;
  readonly checkingDisabled: boolean;
};

/** The answer of an upstream server: its header, question, answers and authorities as they were received. */
export interface UpstreamReply {
  readonly bytes: Buffer;
  readonly rcode: number;
  readonly flags: number;
  readonly answers: readonly RecordSpan[];
  readonly authorities: readonly RecordSpan[];
  /** How long the answer may be cached, in seconds; 0 if it must not be. */
  readonly cacheSeconds: number;
}

/** Writes the question for an upstream server. */
export function writeUpstreamQuery(id: number, asked: UpstreamQuestion, withEdns: boolean): Buffer {
  const { question, dnssecOk, checkingDisabled } = asked;
  const end = HEADER_BYTES + question.length;
  const bytes = Buffer.alloc(end + (withEdns ? OPT_BYTES : 0));
  const flags = FLAGS.recursionDesired | (checkingDisabled ? FLAGS.checkingDisabled : 0);
  writeHeader(bytes, { id, flags, questions: 1, answers: 0, authorities: 0, additionals: withEdns ? 1 : 0 });
  question.copy(bytes, HEADER_BYTES);
  if (withEdns) writeOpt(bytes, end, { dnssecOk });
  return bytes;
}

/**
 * Reads a packet that may be the answer to a question. Undefined if it is not: its id or its question differ, or it is
 * no response at all.
 *
 * @throws MalformedMessageError when it is the answer, but its records cannot be read
 */
export function readUpstreamReply(bytes: Buffer, id: number, asked: UpstreamQuestion): UpstreamReply | undefined {
  const { question } = asked;
  const end = HEADER_BYTES + question.length;
  if (bytes.length < HEADER_BYTES || bytes.length > MAX_MESSAGE_BYTES) return undefined;
  const header = readHeader(bytes);
  if (header.id !== id || (header.flags & FLAGS.response) === 0 || opcodeOf(header.flags) !== 0) return undefined;
  const rcode = header.flags & 0xf;
  // Servers that cannot read a query may answer without its question.
  if (header.questions === 0 && bytes.length === HEADER_BYTES && rcode !== RCODE.noError) {
    return { bytes, rcode, flags: header.flags, answers: [], authorities: [], cacheSeconds: 0 };
  }
  if (header.questions !== 1 || !isSameQuestion(bytes.subarray(HEADER_BYTES, end), question)) return undefined;
  const answers = readRecordSpans(bytes, end, header.answers);
  const authorities = readRecordSpans(bytes, answers.at(-1)?.end ?? end, header.authorities);
  if ([...answers, ...authorities].some(({ type }) => type === TYPE.opt)) {
    throw new MalformedMessageError("An OPT record is not in the additional section");
  }
  const last = authorities.at(-1) ?? answers.at(-1);
  const kept = Buffer.from(bytes.subarray(0, last?.end ?? end));
  const cacheSeconds = cacheSecondsOf({ bytes: kept, rcode, flags: header.flags, answers, authorities });
  return { bytes: kept, rcode, flags: header.flags, answers, authorities, cacheSeconds };
}

/** Whether two questions are equal but for the case of their names' letters. */
function isSameQuestion(one: Buffer, other: Buffer): boolean {
  if (one.length !== other.length) return false;
  const nameEnd = one.length - 4;
  for (let at = 0; at < one.length; at++) {
    const [a = 0, b = 0] = [one[at], other[at]];
    const differsInCase = at < nameEnd && (a ^ b) === 0x20 && (a | 0x20) >= 0x61 && (a | 0x20) <= 0x7a;
    if (a !== b && !differsInCase) return false;
  }
  return true;
}

/** How long an answer may be cached: negative ones as long as their SOA record says (RFC 2308, section 5). */
function cacheSecondsOf(reply: Omit<UpstreamReply, "cacheSeconds">): number {
  const { bytes, rcode, flags, answers, authorities } = reply;
  const isKnown = rcode === RCODE.noError || rcode === RCODE.nxDomain;
  if (!isKnown || (flags & FLAGS.truncated) !== 0) return 0;
  const lowest = Math.min(...[...answers, ...authorities].map(ttlOf));
  if (rcode === RCODE.noError && answers.length > 0) return lowest;
  const soa = authorities.find(({ type }) => type === TYPE.soa);
  // The last field of its data is the TTL of negative answers; two names of a byte or more and five numbers precede its end.
  if (soa === undefined || soa.end - soa.dataOffset < 22) return 0;
  return Math.min(lowest, bytes.readUInt32BE(soa.end - 4));
}

/**
 * The answer for a client: with its id, its question and its limits, and with TTLs that are lower by the answer's age.
 *
 * @param limitBytes largest size; answers that do not fit are left out, and the answer is marked as truncated
 */
export function replyFromUpstream(reply: UpstreamReply, query: Query, ageSeconds: number, limitBytes: number): Buffer {
  const { edns, question } = query;
  const limit = limitBytes - (edns === undefined ? 0 : OPT_BYTES);
  let end = Math.max(reply.bytes.length, HEADER_BYTES + question.length);
  let { answers, authorities } = reply;
  const truncated = end > limit;
  if (truncated) {
    answers = answers.filter((record) => record.end <= limit);
    authorities = [];
    end = answers.at(-1)?.end ?? HEADER_BYTES + question.length;
  }
  const bytes = Buffer.alloc(end + (edns === undefined ? 0 : OPT_BYTES));
  reply.bytes.copy(bytes, 0, 0, end);
  question.copy(bytes, HEADER_BYTES);
  for (const record of [...answers, ...authorities]) {
    bytes.writeUInt32BE(Math.max(0, ttlOf(record) - ageSeconds), record.ttlOffset);
  }
  if (edns !== undefined) writeOpt(bytes, end, { dnssecOk: edns.dnssecOk });
  const wantsAuthentic = edns?.dnssecOk === true || (query.flags & FLAGS.authentic) !== 0;
  const flags =
    FLAGS.response |
    FLAGS.recursionAvailable |
    (query.flags & (FLAGS.recursionDesired | FLAGS.checkingDisabled)) |
    (reply.flags & (wantsAuthentic ? FLAGS.authentic : 0)) |
    (truncated || (reply.flags & FLAGS.truncated) !== 0 ? FLAGS.truncated : 0) |
    reply.rcode;
  writeHeader(bytes, {
    id: query.id,
    flags,
    questions: 1,
    answers: answers.length,
    authorities: authorities.length,
    additionals: edns === undefined ? 0 : 1,
  });
  return bytes;
}

/** Largest answer for a client: over TCP any, over UDP what the client accepts, but not more than this server sends. */
export function replyLimit({ edns }: Pick<Query, "edns">, protocol: "udp" | "tcp"): number {
  if (protocol === "tcp") return MAX_MESSAGE_BYTES;
  return edns === undefined ? MIN_UDP_BYTES : Math.min(edns.payloadBytes, UDP_PAYLOAD_BYTES);
}
