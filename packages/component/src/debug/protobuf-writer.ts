/** Writes protocol buffer messages field by field; numbers must be whole and not negative. */
export class ProtobufWriter {
  readonly #bytes: number[] = [];

  /** An integer field; 0 is left out, as proto3 has it. */
  integer(field: number, value: number): void {
    if (value === 0) return;
    this.#varint(field * 8);
    this.#varint(value);
  }

  /** A repeated integer field in packed form. */
  packed(field: number, values: readonly number[]): void {
    if (values.length === 0) return;
    const body = new ProtobufWriter();
    for (const value of values) body.#varint(value);
    this.message(field, body);
  }

  /** A nested message, or a field already encoded. */
  message(field: number, body: ProtobufWriter): void {
    this.#lengthDelimited(field, body.#bytes);
  }

  /** A string field; unlike other fields it is written when empty, since tables are told by position. */
  string(field: number, value: string): void {
    this.#lengthDelimited(field, Buffer.from(value));
  }

  finish(): Buffer {
    return Buffer.from(this.#bytes);
  }

  #lengthDelimited(field: number, body: Iterable<number> & { readonly length: number }): void {
    this.#varint(field * 8 + 2);
    this.#varint(body.length);
    for (const byte of body) this.#bytes.push(byte);
  }

  #varint(value: number): void {
    let rest = value;
    // Times in nanoseconds have more than 32 bits: no bit operators.
    while (rest >= 128) {
      this.#bytes.push((rest % 128) + 128);
      rest = Math.floor(rest / 128);
    }
    this.#bytes.push(rest);
  }
}
