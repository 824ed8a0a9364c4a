import { alignmentOf, completeTypes, type DbusValue, membersOf } from "./signature.ts";

/** Deepest nesting of variants that is read. */
const maxVariants = 16;

/** Reads values in the wire form of D-Bus. What it cannot read throws: the other side is not trusted. */
export class Reader {
  readonly #buffer: Buffer;
  readonly #little: boolean;
  #at: number;
  #variants = 0;

  constructor(buffer: Buffer, little: boolean, at = 0) {
    this.#buffer = buffer;
    this.#little = little;
    this.#at = at;
  }

  get at(): number {
    return this.#at;
  }

  align(boundary: number): void {
    this.#take((boundary - (this.#at % boundary)) % boundary);
  }

  /** Reads the values of a signature. @throws Error */
  values(signature: string): readonly DbusValue[] {
    return completeTypes(signature).map((type) => this.value(type));
  }

  /** Reads one value. @throws Error */
  value(type: string): DbusValue {
    this.align(alignmentOf(type));
    const buffer = this.#buffer;
    switch (type[0]) {
      case "y":
        return buffer.readUInt8(this.#take(1));
      case "b":
        return this.#uint32() !== 0;
      case "n":
        return this.#little ? buffer.readInt16LE(this.#take(2)) : buffer.readInt16BE(this.#take(2));
      case "q":
        return this.#little ? buffer.readUInt16LE(this.#take(2)) : buffer.readUInt16BE(this.#take(2));
      case "i":
        return this.#uint32() | 0;
      case "u":
      case "h":
        return this.#uint32();
      case "x":
        return this.#little ? buffer.readBigInt64LE(this.#take(8)) : buffer.readBigInt64BE(this.#take(8));
      case "t":
        return this.#little ? buffer.readBigUInt64LE(this.#take(8)) : buffer.readBigUInt64BE(this.#take(8));
      case "d":
        return this.#little ? buffer.readDoubleLE(this.#take(8)) : buffer.readDoubleBE(this.#take(8));
      case "s":
      case "o":
        return this.#text(this.#uint32());
      case "g":
        return this.#text(buffer.readUInt8(this.#take(1)));
      case "v":
        return this.#variant();
      case "a":
        return this.#array(type.slice(1));
      default:
        return membersOf(type).map((member) => this.value(member));
    }
  }

  #variant(): DbusValue {
    if (++this.#variants > maxVariants) throw new Error("a D-Bus message has variants in too many variants");
    const signature = this.#text(this.#buffer.readUInt8(this.#take(1)));
    const [type = "", ...more] = completeTypes(signature);
    if (type === "" || more.length > 0) throw new Error("a D-Bus variant does not have one value");
    const value = this.value(type);
    this.#variants--;
    return { signature, value };
  }

  #array(type: string): readonly DbusValue[] {
    const length = this.#uint32();
    this.align(alignmentOf(type));
    const end = this.#at + length;
    if (end > this.#buffer.length) throw new Error("a D-Bus array is longer than its message");
    const values: DbusValue[] = [];
    while (this.#at < end) values.push(this.value(type));
    if (this.#at !== end) throw new Error("a D-Bus array ends within a value");
    return values;
  }

  #uint32(): number {
    return this.#little ? this.#buffer.readUInt32LE(this.#take(4)) : this.#buffer.readUInt32BE(this.#take(4));
  }

  #text(length: number): string {
    const at = this.#take(length + 1);
    return this.#buffer.toString("utf8", at, at + length);
  }

  #take(bytes: number): number {
    const at = this.#at;
    if (at + bytes > this.#buffer.length) throw new Error("a D-Bus message ends within a value");
    this.#at += bytes;
    return at;
  }
}
