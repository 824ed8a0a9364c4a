import { decodeHuffman } from "./huffman.ts";

/** A header field. Names are lower case. */
export type Header = readonly [name: string, value: string];

/** The static table (RFC 7541, appendix A), each entry as `name` or `name=value`. */
export const STATIC: readonly Header[] = (
  ":authority;:method=GET;:method=POST;:path=/;:path=/index.html;:scheme=http;:scheme=https;:status=200;:status=204;" +
  ":status=206;:status=304;:status=400;:status=404;:status=500;accept-charset;accept-encoding=gzip, deflate;accept-language;" +
  "accept-ranges;accept;access-control-allow-origin;age;allow;authorization;cache-control;content-disposition;" +
  "content-encoding;content-language;content-length;content-location;content-range;content-type;cookie;date;etag;expect;" +
  "expires;from;host;if-match;if-modified-since;if-none-match;if-range;if-unmodified-since;last-modified;link;location;" +
  "max-forwards;proxy-authenticate;proxy-authorization;range;referer;refresh;retry-after;server;set-cookie;" +
  "strict-transport-security;transfer-encoding;user-agent;vary;via;www-authenticate"
)
  .split(";")
  .map((row) => {
    const equals = row.indexOf("=");
    return equals < 0 ? [row, ""] : [row.slice(0, equals), row.slice(equals + 1)];
  });

/** Bytes that each entry counts beside its name and value (RFC 7541, section 4.1). */
const ENTRY_OVERHEAD = 32;

/** Size of the dynamic table with which both sides start; the decoder never changes it. */
export const TABLE_BYTES = 4096;

/**
 * Bytes of all fields of a block. A block of a few bytes may refer to a long field of the table many times; what servers send is some
 * hundred bytes.
 */
const LIST_BYTES = 1 << 20;

/** Bytes that a field takes of a table. */
export const sizeOf = ([name, value]: Header): number => name.length + value.length + ENTRY_OVERHEAD;

/** Reads the header blocks of one connection, in order (RFC 7541). */
export class HeaderDecoder {
  /** The dynamic table, the newest entry last. */
  readonly #entries: Header[] = [];
  #size = 0;
  #limit = TABLE_BYTES;
  #block: Buffer = Buffer.alloc(0);
  #at = 0;

  /**
   * Decodes the fields of a whole block. Every block must be decoded, in order, because each may change the dynamic
   * table.
   *
   * @throws RangeError if it is malformed or too large; then the connection cannot be used any more
   */
  decode(block: Buffer): readonly Header[] {
    this.#block = block;
    this.#at = 0;
    const headers: Header[] = [];
    let size = 0;
    while (this.#at < block.length) {
      const header = this.#next(block.readUInt8(this.#at));
      if (header === undefined) continue;
      size += sizeOf(header);
      if (size > LIST_BYTES) throw new RangeError(`the headers have more than ${LIST_BYTES} bytes`);
      headers.push(header);
    }
    return headers;
  }

  /** The next field; undefined for a change of the table's size. */
  #next(first: number): Header | undefined {
    if (first >= 0x80) return this.#entry(this.#integer(7));
    if (first >= 0x40) {
      const header = this.#literal(6);
      this.#add(header);
      return header;
    }
    if (first >= 0x20) {
      this.#resize(this.#integer(5));
      return undefined;
    }
    return this.#literal(4);
  }

  #literal(prefixBits: number): Header {
    const index = this.#integer(prefixBits);
    const name = index === 0 ? this.#string() : this.#entry(index)[0];
    return [name, this.#string()];
  }

  #entry(index: number): Header {
    const found = index <= STATIC.length ? STATIC[index - 1] : this.#entries.at(STATIC.length - index);
    if (found === undefined) throw new RangeError(`a header has index ${index}, which is not in the tables`);
    return found;
  }

  #add(header: Header): void {
    this.#entries.push(header);
    this.#size += sizeOf(header);
    this.#evict();
  }

  #resize(limit: number): void {
    if (limit > TABLE_BYTES) throw new RangeError(`the header table was set to ${limit} bytes`);
    this.#limit = limit;
    this.#evict();
  }

  #evict(): void {
    while (this.#size > this.#limit) {
      const oldest = this.#entries.shift();
      if (oldest === undefined) return;
      this.#size -= sizeOf(oldest);
    }
  }

  #integer(prefixBits: number): number {
    const most = 2 ** prefixBits - 1;
    let value = this.#block.readUInt8(this.#at++) & most;
    if (value < most) return value;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.#block.readUInt8(this.#at++);
      value += (byte & 0x7f) * scale;
      if (value > 2 ** 31) throw new RangeError("an integer of a header block is too large");
      if (byte < 0x80) return value;
    }
  }

  #string(): string {
    const huffman = this.#block.readUInt8(this.#at) >= 0x80;
    const length = this.#integer(7);
    const end = this.#at + length;
    if (end > this.#block.length) throw new RangeError("a string reaches beyond its header block");
    const bytes = this.#block.subarray(this.#at, end);
    this.#at = end;
    return huffman ? decodeHuffman(bytes) : bytes.toString("latin1");
  }
}

/**
 * Encodes header fields as literals that are not added to a table. So the bytes are valid on every connection, in any
 * order, and can be cached.
 */
export function encodeHeaders(headers: readonly Header[]): Buffer {
  return Buffer.concat(headers.flatMap(([name, value]) => [Buffer.from([0]), literal(name), literal(value)]));
}

function literal(text: string): Buffer {
  const bytes = Buffer.from(text, "latin1");
  const size: number[] = [];
  let rest = bytes.length;
  if (rest < 127) size.push(rest);
  else {
    size.push(127);
    for (rest -= 127; rest >= 128; rest >>>= 7) size.push((rest & 0x7f) | 0x80);
    size.push(rest);
  }
  return Buffer.concat([Buffer.from(size), bytes]);
}
