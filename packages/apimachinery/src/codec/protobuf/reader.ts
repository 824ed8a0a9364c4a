import { DecodeError } from "../decode-error.ts";

const malformed = (what: string): DecodeError => new DecodeError(`proto: ${what}`);

/**
 * Reads protobuf fields from bytes that it does not own. Every length is checked before it is used, so that hostile
 * input causes an error and no allocation.
 */
export class Reader {
  readonly #bytes: Uint8Array;
  #at: number;
  readonly #end: number;

  constructor(bytes: Uint8Array, start = 0, end = bytes.length) {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
  }

  get done(): boolean {
    return this.#at >= this.#end;
  }

  /** Reads an unsigned 64-bit varint. */
  uint64(): bigint {
    let result = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#byte();
      result |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) {
        return BigInt.asUintN(64, result);
      }
    }
    throw malformed("integer overflow");
  }

  /** Reads a signed 64-bit varint. @throws DecodeError beyond ±2^53 */
  int64(): number {
    const first = this.#bytes[this.#at];
    if (first !== undefined && first < 0x80 && this.#at < this.#end) {
      this.#at++;
      return first;
    }
    const value = Number(BigInt.asIntN(64, this.uint64()));
    if (!Number.isSafeInteger(value)) {
      throw malformed(`integer ${value} lies beyond ±2^53`);
    }
    return value;
  }

  /** Reads the number and wire type of the next field. */
  tag(): { readonly field: number; readonly wire: number } {
    const tag = this.int64();
    const field = Math.floor(tag / 8);
    if (field < 1 || field > 536870911) {
      throw malformed(`illegal tag ${tag}`);
    }
    return { field, wire: tag % 8 };
  }

  /** Reads a 64-bit floating-point number. */
  double(): number {
    const start = this.#take(8);
    return new DataView(this.#bytes.buffer, this.#bytes.byteOffset + start, 8).getFloat64(0, true);
  }

  /** Reads the content of a length-delimited field; a view, not a copy. */
  bytes(): Uint8Array {
    const length = this.int64();
    if (length < 0) {
      throw malformed("negative length");
    }
    const start = this.#take(length);
    return this.#bytes.subarray(start, start + length);
  }

  /** Skips an unknown field. */
  skip(wire: number): void {
    switch (wire) {
      case 0:
        this.uint64();
        return;
      case 1:
        this.#take(8);
        return;
      case 2:
        this.bytes();
        return;
      case 5:
        this.#take(4);
        return;
      default:
        throw malformed(`illegal wire type ${wire}`);
    }
  }

  #byte(): number {
    return this.#bytes[this.#take(1)] ?? 0;
  }

  #take(count: number): number {
    if (count > this.#end - this.#at) {
      throw malformed("unexpected EOF");
    }
    const start = this.#at;
    this.#at += count;
    return start;
  }
}

/** UTF-8 text of a field's bytes. */
export function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}
