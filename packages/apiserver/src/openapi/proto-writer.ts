/** Builds a protobuf message field by field. */
export class ProtoWriter {
  readonly #parts: Buffer[] = [];
  #length = 0;

  /** Text; "" is not written. */
  string(field: number, text: string | undefined): this {
    if (text === undefined || text === "") return this;
    return this.bytes(field, Buffer.from(text));
  }

  strings(field: number, texts: readonly string[] | undefined): this {
    for (const text of texts ?? []) this.bytes(field, Buffer.from(text));
    return this;
  }

  /** false is not written. */
  bool(field: number, value: boolean | undefined): this {
    if (value !== true) return this;
    this.#push(varint(field << 3));
    this.#push(varint(1));
    return this;
  }

  /** A nested message; undefined is not written, an empty one is. */
  message(field: number, writer: ProtoWriter | undefined): this {
    return writer === undefined ? this : this.bytes(field, writer.finish());
  }

  bytes(field: number, value: Buffer): this {
    this.#push(varint((field << 3) | 2));
    this.#push(varint(value.length));
    this.#push(value);
    return this;
  }

  finish(): Buffer {
    return Buffer.concat(this.#parts, this.#length);
  }

  #push(part: Buffer): void {
    this.#parts.push(part);
    this.#length += part.length;
  }
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 0x7f) {
    bytes.push((rest & 0x7f) | 0x80);
    rest = Math.floor(rest / 128);
  }
  bytes.push(rest);
  return Buffer.from(bytes);
}
