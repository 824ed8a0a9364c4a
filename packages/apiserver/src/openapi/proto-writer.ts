/** A varint, text that is written as UTF-8, or a message within this one. */
type Part = number | string | ProtoWriter;

/**
 * Builds a protobuf message field by field. Nothing is encoded before {@link finish}, which allocates the bytes of the
 * whole tree of messages once: a document has a hundred thousand parts, and a buffer for each would cost more than
 * everything else.
 */
export class ProtoWriter {
  readonly #parts: Part[] = [];
  #length = 0;

  /** Text; "" is not written. */
  string(field: number, text: string | undefined): this {
    return text === undefined || text === "" ? this : this.#text(field, text);
  }

  /** Texts, "" included. */
  strings(field: number, texts: readonly string[] | undefined): this {
    for (const text of texts ?? []) this.#text(field, text);
    return this;
  }

  /** false is not written. */
  bool(field: number, value: boolean | undefined): this {
    return value === true ? this.#varint(field << 3).#varint(1) : this;
  }

  /** A nested message, to which nothing may be added afterwards; undefined is not written, an empty one is. */
  message(field: number, writer: ProtoWriter | undefined): this {
    if (writer === undefined) return this;
    this.#varint((field << 3) | 2).#varint(writer.#length);
    this.#parts.push(writer);
    this.#length += writer.#length;
    return this;
  }

  /** The bytes of the message. */
  finish(): Buffer {
    const buffer = Buffer.allocUnsafe(this.#length);
    this.#write(buffer, 0);
    return buffer;
  }

  #text(field: number, text: string): this {
    const length = Buffer.byteLength(text);
    this.#varint((field << 3) | 2).#varint(length);
    this.#parts.push(text);
    this.#length += length;
    return this;
  }

  #varint(value: number): this {
    this.#parts.push(value);
    for (let rest = value; rest > 0x7f; rest = Math.floor(rest / 128)) this.#length++;
    this.#length++;
    return this;
  }

  /** Writes the message at `offset` and returns where it ends. */
  #write(buffer: Buffer, offset: number): number {
    let at = offset;
    for (const part of this.#parts) {
      if (typeof part === "string") {
        at += buffer.write(part, at);
      } else if (typeof part === "number") {
        let rest = part;
        for (; rest > 0x7f; rest = Math.floor(rest / 128)) buffer[at++] = (rest & 0x7f) | 0x80;
        buffer[at++] = rest;
      } else {
        at = part.#write(buffer, at);
      }
    }
    return at;
  }
}
