import { type Header, STATIC, sizeOf, TABLE_BYTES } from "./hpack.ts";

/** Fields that differ with each request: the table would only lose others to them. */
const CHANGING: ReadonlySet<string> = new Set([":path", "content-length", "traceparent", "tracestate"]);
/** What a field may not contain, because a proxy that passes it on over HTTP/1.1 would take it for another one; and what is not Latin-1. */
const FORBIDDEN = /[\0\r\n]|[^\0-\xff]/;
/** A name of a field: a token (RFC 9110, section 5.6.2) in lower case, with a colon before that of a pseudo-header field. */
const NAME = /^:?[!#$%&'*+\-.^_`|~0-9a-z]+$/;

function assertValid(name: string, value: string): void {
  if (!NAME.test(name)) throw new TypeError(`the name of the header ${JSON.stringify(name)} has an invalid character`);
  if (FORBIDDEN.test(value)) throw new TypeError(`the header ${JSON.stringify(name)} has an invalid character`);
}

/** The first entry of the static table with each name, and the entries by name and value. */
const staticNames = new Map<string, number>();
const staticFields = new Map<string, Map<string, number>>();
for (const [i, [name, value]] of STATIC.entries()) {
  if (!staticNames.has(name)) staticNames.set(name, i + 1);
  if (value === "") continue;
  const values = staticFields.get(name) ?? new Map<string, number>();
  staticFields.set(name, values.set(value, i + 1));
}

/**
 * Writes the header blocks of one connection, in order (RFC 7541). Fields that requests have in common become one byte each from their
 * second use on.
 */
export class HeaderEncoder {
  /** The dynamic table, the oldest entry first. */
  readonly #entries: Header[] = [];
  /** The number of each entry, counted from the first one of the connection, by name and value. */
  readonly #numbers = new Map<string, Map<string, number>>();
  #added = 0;
  #size = 0;
  #limit = TABLE_BYTES;
  /** Whether the limit has to be written before the next block. */
  #resized = false;
  #bytes = Buffer.allocUnsafe(1024);
  #at = 0;

  /** The server accepts a table of this size. A table that was made smaller stays so. */
  setLimit(bytes: number): void {
    if (bytes >= this.#limit) return;
    this.#limit = bytes;
    this.#resized = true;
    this.#makeRoom(0);
  }

  /**
   * Encodes the fields of a request. Nothing changes if one of them is invalid: an entry of the table that the server has not received
   * would give the fields of all later requests another meaning.
   *
   * @param fields names in lower case, pseudo-header fields first
   * @returns the block; valid until the next one is encoded
   * @throws TypeError for a field that no request can have
   */
  encode(fields: readonly Header[]): Buffer {
    for (const [name, value] of fields) assertValid(name, value);
    this.#at = 0;
    this.#resize();
    for (const [name, value] of fields) this.#field(name, value);
    return this.#bytes.subarray(0, this.#at);
  }

  /**
   * A block that was encoded without a table, as it may be sent now: the server expects a changed limit at the beginning of the next
   * block, whichever that is.
   */
  adopt(block: Buffer): Buffer {
    if (!this.#resized) return block;
    this.#at = 0;
    this.#resize();
    return Buffer.concat([this.#bytes.subarray(0, this.#at), block]);
  }

  #resize(): void {
    if (!this.#resized) return;
    this.#resized = false;
    this.#reserve(8);
    this.#integer(this.#limit, 5, 0x20);
  }

  #field(name: string, value: string): void {
    const isChanging = CHANGING.has(name);
    const index = isChanging ? undefined : this.#indexOf(name, value);
    if (index !== undefined) {
      this.#reserve(8);
      this.#integer(index, 7, 0x80);
      return;
    }
    this.#reserve(name.length + value.length + 32);
    const isAdded = !isChanging && sizeOf([name, value]) <= this.#limit;
    const nameIndex = staticNames.get(name) ?? 0;
    if (isAdded) this.#integer(nameIndex, 6, 0x40);
    else this.#integer(nameIndex, 4, 0);
    if (nameIndex === 0) this.#text(name);
    this.#text(value);
    if (isAdded) this.#add([name, value]);
  }

  /** The index of a field in the tables. */
  #indexOf(name: string, value: string): number | undefined {
    const known = this.#numbers.get(name)?.get(value);
    return known === undefined ? staticFields.get(name)?.get(value) : STATIC.length + this.#added - known;
  }

  #add(entry: Header): void {
    const [name, value] = entry;
    this.#makeRoom(sizeOf(entry));
    this.#entries.push(entry);
    this.#size += sizeOf(entry);
    const values = this.#numbers.get(name) ?? new Map<string, number>();
    values.set(value, this.#added);
    this.#added += 1;
    this.#numbers.set(name, values);
  }

  /** Removes the oldest entries until another one has room. */
  #makeRoom(bytes: number): void {
    while (this.#size + bytes > this.#limit) {
      const oldest = this.#entries.shift();
      if (oldest === undefined) return;
      const [name, value] = oldest;
      this.#size -= sizeOf(oldest);
      const values = this.#numbers.get(name);
      values?.delete(value);
      if (values?.size === 0) this.#numbers.delete(name);
    }
  }

  /** Makes room for bytes of the block. */
  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(2 * (this.#at + bytes));
    this.#bytes.copy(larger, 0, 0, this.#at);
    this.#bytes = larger;
  }

  #integer(value: number, prefixBits: number, mark: number): void {
    const most = 2 ** prefixBits - 1;
    if (value < most) {
      this.#bytes[this.#at++] = mark | value;
      return;
    }
    this.#bytes[this.#at++] = mark | most;
    let rest = value - most;
    for (; rest >= 128; rest >>>= 7) this.#bytes[this.#at++] = (rest & 0x7f) | 0x80;
    this.#bytes[this.#at++] = rest;
  }

  #text(text: string): void {
    this.#integer(text.length, 7, 0);
    this.#at += this.#bytes.write(text, this.#at, "latin1");
  }
}
