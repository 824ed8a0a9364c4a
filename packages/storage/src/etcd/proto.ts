/** Reads protobuf fields one after the other. Bounds are checked by Buffer: truncated input throws a RangeError. */
export class ProtoReader {
  readonly #bytes: Buffer;
  #at = 0;
  #wireType = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** The number of the next field; 0 at the end. */
  field(): number {
    if (this.#at >= this.#bytes.length) return 0;
    const tag = this.varint();
    this.#wireType = tag & 7;
    return tag >>> 3;
  }

  /** Whether the field is a string, bytes or message. */
  get delimited(): boolean {
    return this.#wireType === 2;
  }

  /** A non-negative integer; beyond 2^53 it is rounded. */
  varint(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.#bytes.readUInt8(this.#at++);
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 128;
    }
  }

  /** A 64-bit integer that may use all its bits, e.g. a random id. */
  bigint(): bigint {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.#bytes.readUInt8(this.#at++);
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asIntN(64, value);
    }
  }

  /** A string, bytes or message field, as a view. */
  bytes(): Buffer {
    const length = this.varint();
    const start = this.#at;
    this.#at += length;
    if (this.#at > this.#bytes.length) throw new RangeError("a field reaches beyond its message");
    return this.#bytes.subarray(start, this.#at);
  }

  /** Passes over a field that is not wanted. */
  skip(): void {
    if (this.#wireType === 0) while (this.#bytes.readUInt8(this.#at++) >= 0x80);
    else if (this.#wireType === 2) this.bytes();
    else this.#at += this.#wireType === 1 ? 8 : 4;
  }
}

/** One encoded field. Lengths are known before anything is written, so a message is written in one pass. */
export interface Field {
  readonly size: number;
  write(target: Buffer, at: number): number;
}

/** A length-delimited field of bytes. */
export function bytesField(number: number, value: Uint8Array): Field {
  const head = 1 + varintSize(value.length);
  return {
    size: head + value.length,
    write(target, at) {
      target[at] = (number << 3) | 2;
      const start = writeVarint(target, at + 1, value.length);
      target.set(value, start);
      return start + value.length;
    },
  };
}

/** A field of a nested message. */
export function messageField(number: number, fields: readonly Field[]): Field {
  let inner = 0;
  for (const field of fields) inner += field.size;
  return {
    size: 1 + varintSize(inner) + inner,
    write(target, at) {
      target[at] = (number << 3) | 2;
      let next = writeVarint(target, at + 1, inner);
      for (const field of fields) next = field.write(target, next);
      return next;
    },
  };
}

/** A non-negative integer, boolean or enum field. */
export function intField(number: number, value: number): Field {
  return {
    size: 1 + varintSize(value),
    write(target, at) {
      target[at] = number << 3;
      return writeVarint(target, at + 1, value);
    },
  };
}

/** A 64-bit integer field that may use all its bits. */
export function bigintField(number: number, value: bigint): Field {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, value);
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  bytes.push(Number(rest));
  return {
    size: 1 + bytes.length,
    write(target, at) {
      target[at] = number << 3;
      target.set(bytes, at + 1);
      return at + 1 + bytes.length;
    },
  };
}

/** A whole message. */
export function encode(fields: readonly Field[]): Buffer {
  let size = 0;
  for (const field of fields) size += field.size;
  const target = Buffer.allocUnsafe(size);
  let at = 0;
  for (const field of fields) at = field.write(target, at);
  return target;
}

function varintSize(value: number): number {
  let size = 1;
  for (let rest = value; rest >= 0x80; rest /= 128) size++;
  return size;
}

function writeVarint(target: Buffer, start: number, value: number): number {
  let at = start;
  let rest = value;
  while (rest >= 0x80) {
    target[at++] = (rest % 128) | 0x80;
    rest = Math.floor(rest / 128);
  }
  target[at++] = rest;
  return at;
}
