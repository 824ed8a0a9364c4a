/**
 * The allocated offsets of a range. Encoded as the `data` of a RangeAllocation: a big-endian number whose bit `n` represents
 * offset `n`, without leading zero bytes.
 */
export class AllocationBitmap {
  readonly size: number;
  readonly #bytes: Uint8Array;
  #count = 0;

  constructor(size: number) {
    this.size = size;
    this.#bytes = new Uint8Array(Math.ceil(size / 8));
  }

  /** Bits beyond the size are ignored. */
  static decode(size: number, data: Uint8Array): AllocationBitmap {
    const bitmap = new AllocationBitmap(size);
    const { length } = bitmap.#bytes;
    for (let i = 0; i < Math.min(length, data.length); i++) bitmap.#bytes[i] = data[data.length - 1 - i] ?? 0;
    const beyond = length * 8 - size;
    if (length > 0) bitmap.#bytes[length - 1] = (bitmap.#bytes[length - 1] ?? 0) & (0xff >> beyond);
    for (const byte of bitmap.#bytes) for (let rest = byte; rest !== 0; rest &= rest - 1) bitmap.#count++;
    return bitmap;
  }

  encode(): Buffer {
    let { length } = this.#bytes;
    while (length > 0 && this.#bytes[length - 1] === 0) length--;
    return Buffer.from(this.#bytes.subarray(0, length)).reverse();
  }

  clone(): AllocationBitmap {
    const copy = new AllocationBitmap(this.size);
    copy.#bytes.set(this.#bytes);
    copy.#count = this.#count;
    return copy;
  }

  /** Number of allocated offsets. */
  get count(): number {
    return this.#count;
  }

  has(offset: number): boolean {
    return ((this.#bytes[offset >> 3] ?? 0) & (1 << (offset & 7))) !== 0;
  }

  /** Allocates an offset; false if it is allocated already or outside the range. */
  add(offset: number): boolean {
    if (!(offset >= 0 && offset < this.size) || this.has(offset)) return false;
    this.#bytes[offset >> 3] = (this.#bytes[offset >> 3] ?? 0) | (1 << (offset & 7));
    this.#count++;
    return true;
  }

  /** Releases an offset; false if it was free. */
  delete(offset: number): boolean {
    if (!this.has(offset)) return false;
    this.#bytes[offset >> 3] = (this.#bytes[offset >> 3] ?? 0) & ~(1 << (offset & 7));
    this.#count--;
    return true;
  }

  /** The first free offset of `[from, to)`; undefined if there is none. */
  firstFree(from: number, to: number): number | undefined {
    for (let offset = from; offset < to; offset++) {
      if ((offset & 7) === 0 && this.#bytes[offset >> 3] === 0xff) offset += 7;
      else if (!this.has(offset)) return offset;
    }
    return undefined;
  }

  equals(other: AllocationBitmap): boolean {
    return this.size === other.size && Buffer.compare(this.#bytes, other.#bytes) === 0;
  }

  /** The allocated offsets in ascending order. */
  *taken(): Generator<number> {
    for (const [at, byte] of this.#bytes.entries()) {
      for (let rest = byte; rest !== 0; rest &= rest - 1) yield at * 8 + 31 - Math.clz32(rest & -rest);
    }
  }
}
