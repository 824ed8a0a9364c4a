/**
 * Writes protobuf from the end to the front: a nested message is complete before its length is written, so nothing is
 * measured before or moved afterwards. Callers write the last field first.
 */
export class ReverseWriter {
  #buffer: Buffer;
  #start: number;

  constructor(capacity = 1024) {
    this.#buffer = Buffer.allocUnsafe(capacity);
    this.#start = capacity;
  }

  /** Bytes written so far. */
  get length(): number {
    return this.#buffer.length - this.#start;
  }

  /** Everything written. It shares memory with the writer, which must not be used afterwards. */
  finish(): Buffer {
    return this.#buffer.subarray(this.#start);
  }

  #reserve(bytes: number): number {
    if (bytes > this.#start) {
      const used = this.length;
      const grown = Buffer.allocUnsafe(Math.max(2 * this.#buffer.length, used + bytes));
      this.#buffer.copy(grown, grown.length - used, this.#start);
      this.#buffer = grown;
      this.#start = grown.length - used;
    }
    this.#start -= bytes;
    return this.#start;
  }

  /** Writes a whole number; negative ones take ten bytes, as the format requires. */
  varint(value: number): void {
    if (value >= 0 && value < 0x80) {
      // Reserving may replace the buffer, so it is done first.
      const at = this.#reserve(1);
      this.#buffer[at] = value;
      return;
    }
    let rest = BigInt.asUintN(64, BigInt(value));
    const bytes: number[] = [];
    do {
      bytes.push(Number(rest & 0x7fn) | (rest > 0x7fn ? 0x80 : 0));
      rest >>= 7n;
    } while (rest > 0n);
    let at = this.#reserve(bytes.length);
    for (const byte of bytes) {
      this.#buffer[at++] = byte;
    }
  }

  /** Writes a 64-bit floating-point number. */
  double(value: number): void {
    const at = this.#reserve(8);
    this.#buffer.writeDoubleLE(value, at);
  }

  /** Writes bytes without their length. */
  raw(bytes: Uint8Array): void {
    const at = this.#reserve(bytes.length);
    this.#buffer.set(bytes, at);
  }

  /** UTF-8 bytes without their length. */
  text(value: string): void {
    const length = Buffer.byteLength(value);
    const at = this.#reserve(length);
    this.#buffer.write(value, at, length, "utf8");
  }

  /** Writes the tag of a value that has been written already. */
  tag(field: number, wire: 0 | 1 | 2): void {
    this.varint(field * 8 + wire);
  }

  /** Writes length and tag of the bytes that were written since `mark`, an earlier {@link length}. */
  close(field: number, mark: number): void {
    this.varint(this.length - mark);
    this.tag(field, 2);
  }
}
