/** Frame types of RFC 9113 section 6. */
export const frameType = {
  data: 0,
  headers: 1,
  priority: 2,
  rstStream: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

/**
 * One frame (RFC 9113 section 4.1); text as in a fuzz case.
 * @param length - length in the header, by default that of the payload
 */
export function frame(type: number, flags: number, stream: number, payload = "", length = payload.length): string {
  return number(length, 3) + String.fromCharCode(type & 0xff, flags & 0xff) + number(stream, 4) + payload;
}

/** A big-endian number of the given number of bytes. */
export function number(value: number, bytes: number): string {
  let out = "";
  for (let i = bytes - 1; i >= 0; i--) out += String.fromCharCode(Math.floor(value / 256 ** i) % 256);
  return out;
}

/** The connection preface of clients (RFC 9113 section 3.4). */
export const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/**
 * A header block of literals that are not added to the dynamic table, without Huffman coding (RFC 7541 section
 * 6.2.2).
 */
export function headerBlock(headers: readonly (readonly [name: string, value: string])[]): string {
  return headers.map(([name, value]) => `\u0000${literal(name)}${literal(value)}`).join("");
}

function literal(text: string): string {
  return integer(text.length, 7) + text;
}

/** An HPACK integer (RFC 7541 section 5.1) whose first byte consists of the prefix alone. */
export function integer(value: number, prefixBits: number): string {
  const limit = 2 ** prefixBits - 1;
  if (value < limit) return String.fromCharCode(value);
  let out = String.fromCharCode(limit);
  let rest = value - limit;
  for (; rest >= 128; rest = Math.floor(rest / 128)) out += String.fromCharCode((rest % 128) | 128);
  return out + String.fromCharCode(rest);
}

/**
 * Whether a server sent a status of 500 or more. Reads statuses that are encoded without the dynamic table only:
 * enough, as the fuzzer decodes no more than the first field.
 */
export function serverErrorsIn(received: Buffer): boolean {
  for (let at = 0; at + 9 <= received.length; ) {
    const length = received.readUIntBE(at, 3);
    const type = received[at + 3];
    const flags = received[at + 4] ?? 0;
    if (type === frameType.headers) {
      let start = at + 9 + ((flags & 8) === 0 ? 0 : 1) + ((flags & 32) === 0 ? 0 : 5);
      // A dynamic table size update may come first (RFC 7541 section 6.3).
      while (((received[start] ?? 0) & 0xe0) === 0x20) start++;
      const first = received[start] ?? 0;
      // Entry 14 of the static table, `:status: 500`.
      if (first === 0x8e) return true;
      // A literal with the indexed name :status, its value in Huffman code ("5" is 011011) or plain.
      const isStatus = first === 0x48 || first === 0x08 || first === 0x18;
      const huffman = ((received[start + 1] ?? 0) & 0x80) !== 0;
      const value = received[start + 2] ?? 0;
      if (isStatus && (huffman ? value >> 2 === 0b011011 : value === 0x35)) return true;
    }
    at += 9 + length;
  }
  return false;
}
