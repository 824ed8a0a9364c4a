import { alignmentOf, completeTypes, type DbusValue, membersOf, type Variant } from "./signature.ts";

/** Writes values in the wire form of D-Bus, little endian. */
export class Writer {
  #buffer = Buffer.alloc(256);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  /** Fills with zeros up to a multiple of `boundary`. */
  align(boundary: number): void {
    this.#reserve((boundary - (this.#length % boundary)) % boundary);
  }

  /** Writes the values of a signature. @throws Error if they do not fit it */
  values(signature: string, values: readonly DbusValue[]): void {
    const types = completeTypes(signature);
    if (types.length !== values.length)
      throw new Error(`${values.length} values were given for D-Bus signature ${JSON.stringify(signature)}`);
    for (const [i, type] of types.entries()) this.value(type, values[i] as DbusValue);
  }

  /** Writes one value. @throws Error if it does not fit the type */
  value(type: string, value: DbusValue): void {
    this.align(alignmentOf(type));
    switch (type[0]) {
      case "y":
        this.#put(1, (buffer, at) => buffer.writeUInt8(number(value), at));
        break;
      case "b":
        this.#put(4, (buffer, at) => buffer.writeUInt32LE(value === true ? 1 : 0, at));
        break;
      case "n":
        this.#put(2, (buffer, at) => buffer.writeInt16LE(number(value), at));
        break;
      case "q":
        this.#put(2, (buffer, at) => buffer.writeUInt16LE(number(value), at));
        break;
      case "i":
        this.#put(4, (buffer, at) => buffer.writeInt32LE(number(value), at));
        break;
      case "u":
      case "h":
        this.#put(4, (buffer, at) => buffer.writeUInt32LE(number(value), at));
        break;
      case "x":
        this.#put(8, (buffer, at) => buffer.writeBigInt64LE(BigInt(value as bigint), at));
        break;
      case "t":
        this.#put(8, (buffer, at) => buffer.writeBigUInt64LE(BigInt(value as bigint), at));
        break;
      case "d":
        this.#put(8, (buffer, at) => buffer.writeDoubleLE(number(value), at));
        break;
      case "s":
      case "o":
        this.#text(text(value), 4);
        break;
      case "g":
        this.#text(text(value), 1);
        break;
      case "v": {
        const { signature, value: inner } = value as Variant;
        this.#text(signature, 1);
        this.values(signature, [inner]);
        break;
      }
      case "a":
        this.#array(type.slice(1), value as readonly DbusValue[]);
        break;
      default:
        for (const [i, member] of membersOf(type).entries())
          this.value(member, (value as readonly DbusValue[])[i] as DbusValue);
    }
  }

  #array(type: string, values: readonly DbusValue[]): void {
    const lengthAt = this.#reserve(4);
    // The length does not count what is between it and the first value.
    this.align(alignmentOf(type));
    const start = this.#length;
    for (const value of values) this.value(type, value);
    this.#buffer.writeUInt32LE(this.#length - start, lengthAt);
  }

  #text(value: string, lengthBytes: 1 | 4): void {
    const bytes = Buffer.from(value, "utf8");
    this.#put(lengthBytes, (buffer, at) =>
      lengthBytes === 4 ? buffer.writeUInt32LE(bytes.length, at) : buffer.writeUInt8(bytes.length, at),
    );
    this.#put(bytes.length + 1, (buffer, at) => bytes.copy(buffer, at));
  }

  /** Writes to room that is made before: the buffer may be another one then. */
  #put(bytes: number, write: (buffer: Buffer, at: number) => unknown): void {
    const at = this.#reserve(bytes);
    write(this.#buffer, at);
  }

  /** Makes room for zeros, and returns where they begin. */
  #reserve(bytes: number): number {
    const at = this.#length;
    this.#length += bytes;
    if (this.#length > this.#buffer.length) {
      const larger = Buffer.alloc(Math.max(this.#length, this.#buffer.length * 2));
      this.#buffer.copy(larger);
      this.#buffer = larger;
    }
    return at;
  }
}

function number(value: DbusValue): number {
  if (typeof value === "number") return value;
  throw new Error(`a ${typeof value} was given where D-Bus wants a number`);
}

function text(value: DbusValue): string {
  if (typeof value === "string" && !value.includes("\0")) return value;
  throw new Error(`a ${typeof value} was given where D-Bus wants a text`);
}
