const initialBytes = 64;

/** Writes protocol buffer messages field by field; integers must be whole and not negative. */
export class ProtobufWriter {
  #bytes = Buffer.allocUnsafe(initialBytes);
  #length = 0;

  /** An integer field; 0 is left out, as proto3 has it. */
  integer(field: number, value: number): void {
    if (value === 0) return;
    this.#varint(field * 8);
    this.#varint(value);
  }

  /** A signed integer field of 64 bits, as a variant of a union: written when 0 too. */
  signed(field: number, value: number): void {
    this.#varint(field * 8);
    let rest = BigInt.asUintN(64, BigInt(value));
    while (rest >= 128n) {
      this.#byte(Number(rest & 127n) + 128);
      rest >>= 7n;
    }
    this.#byte(Number(rest));
  }

  /** A field of 64 bits. */
  fixed64(field: number, value: bigint): void {
    this.#varint(field * 8 + 1);
    this.#room(8);
    this.#length = this.#bytes.writeBigUInt64LE(value, this.#length);
  }

  /** A floating-point field of 64 bits; written when 0 too. */
  double(field: number, value: number): void {
    this.#varint(field * 8 + 1);
    this.#room(8);
    this.#length = this.#bytes.writeDoubleLE(value, this.#length);
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
    this.bytes(field, body.finish());
  }

  /** A string field; unlike other fields it is written when empty, since tables are identified by position. */
  string(field: number, value: string): void {
    const length = Buffer.byteLength(value);
    this.#varint(field * 8 + 2);
    this.#varint(length);
    this.#room(length);
    this.#length += this.#bytes.write(value, this.#length);
  }

  bytes(field: number, value: Uint8Array): void {
    this.#varint(field * 8 + 2);
    this.#varint(value.length);
    this.#room(value.length);
    this.#bytes.set(value, this.#length);
    this.#length += value.length;
  }

  /** What was written so far; valid until more is. */
  finish(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  #varint(value: number): void {
    let rest = value;
    // Times in nanoseconds have more than 32 bits: no bit operators.
    while (rest >= 128) {
      this.#byte((rest % 128) + 128);
      rest = Math.floor(rest / 128);
    }
    this.#byte(rest);
  }

  #byte(value: number): void {
    this.#room(1);
    this.#bytes[this.#length++] = value;
  }

  #room(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }
}
