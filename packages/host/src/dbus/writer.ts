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
        this.#buffer.writeUInt8(number(value), this.#reserve(1));
        break;
      case "b":
        this.#buffer.writeUInt32LE(value === true ? 1 : 0, this.#reserve(4));
        break;
      case "n":
        this.#buffer.writeInt16LE(number(value), this.#reserve(2));
        break;
      case "q":
        this.#buffer.writeUInt16LE(number(value), this.#reserve(2));
        break;
      case "i":
        this.#buffer.writeInt32LE(number(value), this.#reserve(4));
        break;
      case "u":
      case "h":
        this.#buffer.writeUInt32LE(number(value), this.#reserve(4));
        break;
      case "x":
        this.#buffer.writeBigInt64LE(BigInt(value as bigint), this.#reserve(8));
        break;
      case "t":
        this.#buffer.writeBigUInt64LE(BigInt(value as bigint), this.#reserve(8));
        break;
      case "d":
        this.#buffer.writeDoubleLE(number(value), this.#reserve(8));
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
    const at = this.#reserve(lengthBytes);
    if (lengthBytes === 4) this.#buffer.writeUInt32LE(bytes.length, at);
    else this.#buffer.writeUInt8(bytes.length, at);
    bytes.copy(this.#buffer, this.#reserve(bytes.length + 1));
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
