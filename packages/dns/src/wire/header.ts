/** Length of a message's header (RFC 1035, section 4.1.1). */
export const HEADER_BYTES = 12;

/** Largest message: what the two bytes of length before a message over TCP can say. */
export const MAX_MESSAGE_BYTES = 65_535;

/** Largest response over UDP to a client without EDNS (RFC 1035, section 2.3.4). */
export const MIN_UDP_BYTES = 512;

/** Bits of the header's second field. */
export const FLAGS = {
  response: 0x8000,
  authoritative: 0x0400,
  truncated: 0x0200,
  recursionDesired: 0x0100,
  recursionAvailable: 0x0080,
  authentic: 0x0020,
  checkingDisabled: 0x0010,
} as const;

/** Response codes (RFC 1035, section 4.1.1; RFC 6891, section 9). */
export const RCODE = { noError: 0, formErr: 1, servFail: 2, nxDomain: 3, notImp: 4, refused: 5, badVers: 16 } as const;
export type Rcode = (typeof RCODE)[keyof typeof RCODE];

/** The operation code of a message with these flags; 0 is a query. */
export const opcodeOf = (flags: number): number => (flags >> 11) & 0xf;

/** The header's fields in their order. The message has at least {@link HEADER_BYTES}. */
export interface Header {
  readonly id: number;
  readonly flags: number;
  readonly questions: number;
  readonly answers: number;
  readonly authorities: number;
  readonly additionals: number;
}

/** Reads a header. */
export function readHeader(bytes: Buffer): Header {
  return {
    id: bytes.readUInt16BE(0),
    flags: bytes.readUInt16BE(2),
    questions: bytes.readUInt16BE(4),
    answers: bytes.readUInt16BE(6),
    authorities: bytes.readUInt16BE(8),
    additionals: bytes.readUInt16BE(10),
  };
}

/** Writes a header to the start of `bytes`. */
export function writeHeader(bytes: Buffer, header: Header): void {
  bytes.writeUInt16BE(header.id, 0);
  bytes.writeUInt16BE(header.flags, 2);
  bytes.writeUInt16BE(header.questions, 4);
  bytes.writeUInt16BE(header.answers, 6);
  bytes.writeUInt16BE(header.authorities, 8);
  bytes.writeUInt16BE(header.additionals, 10);
}
