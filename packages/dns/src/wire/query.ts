import packet from "dns-packet";
import { normalName } from "../names/domain-name.ts";
import { FLAGS, HEADER_BYTES, type Header, MIN_UDP_BYTES, opcodeOf, RCODE, type Rcode, readHeader } from "./header.ts";
import { MalformedMessageError, readName, readRecordSpans } from "./record-span.ts";
import { CLASS_IN, TYPE } from "./record-types.ts";

/** What a client asked beside its question, by EDNS (RFC 6891). Options are not read. */
interface Edns {
  /** Largest response over UDP that the client accepts, at least 512. */
  readonly payloadBytes: number;
  /** Whether the client wants signatures, too (RFC 3225). */
  readonly dnssecOk: boolean;
}

/** A question of class IN. */
export interface Query {
  readonly id: number;
  readonly flags: number;
  /** The question as the client wrote it: name, type and class. Answers repeat it, with its upper case letters. */
  readonly question: Buffer;
  /** The name in lower case, without the final dot. */
  readonly name: string;
  readonly type: number;
  readonly edns?: Edns;
}

/** What a packet is. */
export type ReceivedPacket =
  | { readonly kind: "query"; readonly query: Query }
  /** An answer with this code is due. `question` is missing if it could not be read. */
  | {
      readonly kind: "rejected";
      readonly rcode: Rcode;
      readonly query: Pick<Query, "id" | "flags" | "edns"> & Partial<Query>;
    }
  /** It is no query, and an answer could start a loop between two servers. */
  | { readonly kind: "ignored" };

/** Most records that a query has after its question: OPT and a signature (TSIG or SIG(0)). */
const MAX_ADDITIONALS = 2;

/** Reads a packet of a client. It never throws, whatever the bytes are. */
export function readQuery(bytes: Buffer): ReceivedPacket {
  if (bytes.length < HEADER_BYTES) return { kind: "ignored" };
  const header = readHeader(bytes);
  const { id, flags } = header;
  if ((flags & FLAGS.response) !== 0) return { kind: "ignored" };
  if (opcodeOf(flags) !== 0) return { kind: "rejected", rcode: RCODE.notImp, query: { id, flags } };
  try {
    return readQuestion(bytes, header);
  } catch {
    return { kind: "rejected", rcode: RCODE.formErr, query: { id, flags } };
  }
}

function readQuestion(bytes: Buffer, { id, flags, ...counts }: Header): ReceivedPacket {
  // The authority section of IXFR has a record (RFC 1995); other queries have none before the additional section.
  if (counts.questions !== 1 || counts.answers > 0 || counts.authorities > 1 || counts.additionals > MAX_ADDITIONALS) {
    throw new MalformedMessageError("The query has an invalid number of records");
  }
  const { name, end } = readName(bytes, HEADER_BYTES);
  if (end + 4 > bytes.length) throw new MalformedMessageError("The message ends within the question");
  if (!isWrittenAs(name, bytes.subarray(HEADER_BYTES, end))) {
    throw new MalformedMessageError("The name in the question has a compression pointer, or an invalid label");
  }
  const type = bytes.readUInt16BE(end);
  const question = Buffer.from(bytes.subarray(HEADER_BYTES, end + 4));
  const edns = readEdns(bytes, end + 4, counts.authorities, counts.additionals);
  const query: Query = {
    id,
    flags,
    question,
    name: name === "." ? "" : normalName(name),
    type,
    ...(edns === undefined ? {} : { edns }),
  };
  if (edns !== undefined && edns.version !== 0) return { kind: "rejected", rcode: RCODE.badVers, query };
  const isTransfer = type === TYPE.axfr || type === TYPE.ixfr;
  if (isTransfer || type === TYPE.opt || bytes.readUInt16BE(end + 2) !== CLASS_IN) {
    return { kind: "rejected", rcode: RCODE.refused, query };
  }
  return { kind: "query", query };
}

/** Whether a name is written back as it was read. Otherwise two names that differ would share an answer of the cache. */
function isWrittenAs(name: string, written: Buffer): boolean {
  if (name === ".") return written.length === 1;
  const again = Buffer.alloc(packet.name.encodingLength(name));
  packet.name.encode(name, again, 0);
  return again.subarray(0, packet.name.encode.bytes).equals(written);
}

function readEdns(
  bytes: Buffer,
  start: number,
  authorities: number,
  additionals: number,
): (Edns & { readonly version: number }) | undefined {
  const spans = readRecordSpans(bytes, start, authorities + additionals).slice(authorities);
  const [opt, second] = spans.filter(({ type }) => type === TYPE.opt);
  if (second !== undefined) throw new MalformedMessageError("The query has two OPT records");
  if (opt === undefined) return undefined;
  if (bytes[opt.start] !== 0) throw new MalformedMessageError("The OPT record has a name");
  return {
    payloadBytes: Math.max(MIN_UDP_BYTES, opt.class),
    dnssecOk: (opt.ttl & 0x8000) !== 0,
    version: (opt.ttl >> 16) & 0xff,
  };
}
