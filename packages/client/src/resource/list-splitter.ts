/** Limit of an item in bytes: objects are limited to a few megabytes. It protects the process from a server that never ends one. */
const maxItemBytes = 64 * 1024 * 1024;
/** Limit in bytes of everything else: `kind`, `apiVersion` and the metadata of the list. */
const maxEnvelopeBytes = 1024 * 1024;

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;
/** JSON's white space is at most this; no other character outside of strings is. */
const space = 0x20;

/** How the text before the items ends. A key that merely ends like this has a backslash in front of the quote. */
const beforeItems = /[{,]\s*"items"\s*:\s*\[$/;
/** Characters in front of the items in which their key is looked for; indented JSON has some white space there. */
const longestKey = 64;

/** Depth of braces and brackets inside of `items`: that of the list itself and of the array. */
const itemsDepth = 2;

/**
 * Splits the JSON of a list into its items while it arrives, so that neither its whole text nor all of its items as the server sent
 * them are ever in memory at once. Only brackets and quotes are looked at; whether the rest is JSON is found when it is parsed.
 */
export class ListSplitter {
  readonly #onItem: (json: string) => void;
  #depth = 0;
  #inString = false;
  /** Bytes of the next chunk that a backslash at the end of this one escapes. */
  #escaped = 0;
  #inItems = false;
  /** The beginning of an item whose end has not arrived. */
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  /** Everything but the items, a character for each byte. */
  #envelope = "";

  /** @param onItem called with the text of each item, in order; what it throws, {@link write} throws */
  constructor(onItem: (json: string) => void) {
    this.#onItem = onItem;
  }

  /**
   * Takes the next bytes of the list.
   *
   * @throws RangeError for an item beyond 64 MiB, or more than 1 MiB beside the items
   * @throws SyntaxError if there is something else than objects among the items, or something behind the list
   */
  write(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) at = this.#inItems ? this.#readItems(chunk, at) : this.#readEnvelope(chunk, at);
  }

  /** The text of the list without its items. @throws SyntaxError if the list is not complete */
  end(): string {
    if (this.#depth !== 0 || this.#envelope === "") throw new SyntaxError("the list is not complete");
    return Buffer.from(this.#envelope, "latin1").toString("utf8");
  }

  /** Reads up to the items, or to the end of the chunk. @returns where to go on */
  #readEnvelope(chunk: Buffer, from: number): number {
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      if (this.#inString) at = this.#passString(chunk, at);
      else if (byte === quote) this.#inString = true;
      else if (byte === closeBrace || byte === closeBracket) this.#depth--;
      else if (byte === openBrace) this.#depth++;
      else if (byte === openBracket && ++this.#depth === itemsDepth) {
        this.#keepEnvelope(chunk, from, at + 1);
        from = at + 1;
        this.#inItems = beforeItems.test(this.#envelope.slice(-longestKey));
        if (this.#inItems) return from;
      }
    }
    this.#keepEnvelope(chunk, from, chunk.length);
    return chunk.length;
  }

  /** Reads up to the end of the items, or of the chunk. @returns where to go on */
  #readItems(chunk: Buffer, from: number): number {
    // Where the current item begins in this chunk.
    let start = this.#depth > itemsDepth ? from : -1;
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      if (this.#inString) at = this.#passString(chunk, at);
      else if (this.#depth > itemsDepth) {
        // Nearly all bytes are of this kind.
        if (byte === quote) this.#inString = true;
        else if (byte === openBrace || byte === openBracket) this.#depth++;
        else if ((byte === closeBrace || byte === closeBracket) && --this.#depth === itemsDepth) {
          this.#emit(chunk, start, at + 1);
          start = -1;
        }
      } else if (byte === openBrace) {
        this.#depth++;
        start = at;
      } else if (byte === closeBracket) {
        // The bracket belongs to the rest of the list, where it is counted.
        this.#inItems = false;
        return at;
      } else if (byte !== comma && byte > space) throw new SyntaxError("an item is not an object");
    }
    if (start >= 0) this.#keepItem(chunk, start);
    return chunk.length;
  }

  #emit(chunk: Buffer, start: number, end: number): void {
    if (this.#pending.length === 0) {
      this.#onItem(chunk.toString("utf8", start, end));
      return;
    }
    this.#pending.push(chunk.subarray(start, end));
    const item = Buffer.concat(this.#pending).toString("utf8");
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#onItem(item);
  }

  #keepItem(chunk: Buffer, start: number): void {
    const part = chunk.subarray(start);
    this.#pending.push(part);
    this.#pendingBytes += part.length;
    if (this.#pendingBytes > maxItemBytes) throw new RangeError(`an item is longer than ${maxItemBytes} bytes`);
  }

  #keepEnvelope(chunk: Buffer, from: number, to: number): void {
    this.#envelope += chunk.toString("latin1", from, to);
    if (this.#envelope.length > maxEnvelopeBytes)
      throw new RangeError(`a list has more than ${maxEnvelopeBytes} bytes beside its items`);
  }

  /** Reads to the end of a string. @returns the index of its last quote, or one that the chunk does not have */
  #passString(chunk: Buffer, from: number): number {
    const end = endOfString(chunk, from + this.#escaped);
    this.#inString = end >= chunk.length;
    this.#escaped = Math.max(0, end - chunk.length);
    return end;
  }
}

/** The index of the quote that ends a string; at least the chunk's length if it is not there, one more if the next byte is escaped. */
function endOfString(chunk: Buffer, from: number): number {
  let at = from;
  for (; at < chunk.length; at++) {
    const byte = chunk[at];
    if (byte === quote) return at;
    if (byte === backslash) at++;
  }
  return at;
}
