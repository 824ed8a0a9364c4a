/**
 * @module The messages of the service `ProxyService` of konnectivity (apiserver-network-proxy, konnectivity-client/proto/client), as
 * protobuf: a Packet has its type in field 1, and its content in the field for that type.
 */
import { assertNever } from "@orchernetes/kernel";

/** A message of either side. Ids are 64 bits wide; a text `error` is empty if there is none. */
export type Packet =
  /** Asks for a connection; `random` identifies the request. */
  | { readonly type: "dialRequest"; readonly protocol: "tcp"; readonly address: string; readonly random: bigint }
  | { readonly type: "dialResponse"; readonly error: string; readonly connectId: bigint; readonly random: bigint }
  | { readonly type: "data"; readonly connectId: bigint; readonly error: string; readonly data: Buffer }
  | { readonly type: "closeRequest"; readonly connectId: bigint }
  | { readonly type: "closeResponse"; readonly error: string; readonly connectId: bigint }
  /** Withdraws a request for a connection; from a server, the request was dropped. */
  | { readonly type: "closeDial"; readonly random: bigint }
  /** The server is about to stop. Clients need not react. */
  | { readonly type: "drain" };

type PacketType = Packet["type"];

/** Number of each type, and number of the field with its content. */
const NUMBERS: Readonly<Record<PacketType, readonly [type: number, field: number]>> = {
  dialRequest: [0, 2],
  dialResponse: [1, 3],
  closeRequest: [2, 5],
  closeResponse: [3, 6],
  data: [4, 4],
  closeDial: [5, 7],
  drain: [6, 8],
};

const VARINT = 0;
const FIXED64 = 1;
const DELIMITED = 2;
const FIXED32 = 5;

/** Encodes what a client sends. */
export function encodePacket(packet: Packet): Buffer {
  const [type, field] = NUMBERS[packet.type];
  return message([
    [1, BigInt(type)],
    [field, contentOf(packet)],
  ]);
}

/** Encodes the content of a packet. @throws TypeError for packets that only a server sends */
function contentOf(packet: Packet): Buffer {
  switch (packet.type) {
    case "dialRequest":
      return message([
        [1, Buffer.from(packet.protocol)],
        [2, Buffer.from(packet.address)],
        [3, packet.random],
      ]);
    case "data":
      return message([
        [1, packet.connectId],
        [3, packet.data],
      ]);
    case "closeRequest":
      return message([[1, packet.connectId]]);
    case "closeDial":
      return message([[1, packet.random]]);
    case "dialResponse":
    case "closeResponse":
    case "drain":
      throw new TypeError(`a client does not send ${packet.type}`);
    default:
      return assertNever(packet);
  }
}

/**
 * Decodes what a server sends.
 *
 * @throws RangeError for bytes that are not such a message
 */
export function decodePacket(bytes: Buffer): Packet {
  const fields = new Fields(bytes);
  const type = Number(fields.int(1));
  const name = (Object.keys(NUMBERS) as PacketType[]).find((one) => NUMBERS[one][0] === type);
  if (name === undefined) throw new RangeError(`unknown type ${type} of a packet`);
  const content = new Fields(fields.bytes(NUMBERS[name][1]));
  switch (name) {
    case "dialRequest":
      throw new RangeError("a server does not ask for connections");
    case "dialResponse":
      return { type: name, error: content.text(1), connectId: content.int(2), random: content.int(3) };
    case "data":
      return { type: name, connectId: content.int(1), error: content.text(2), data: content.bytes(3) };
    case "closeRequest":
      return { type: name, connectId: content.int(1) };
    case "closeResponse":
      return { type: name, error: content.text(1), connectId: content.int(2) };
    case "closeDial":
      return { type: name, random: content.int(1) };
    case "drain":
      return { type: name };
    default:
      return assertNever(name);
  }
}

/** Encodes fields as a protobuf message. */
function message(fields: readonly (readonly [number: number, value: bigint | Buffer])[]): Buffer {
  const parts: Buffer[] = [];
  for (const [number, value] of fields) {
    if (typeof value === "bigint") parts.push(varint(BigInt((number << 3) | VARINT)), varint(value));
    else parts.push(varint(BigInt((number << 3) | DELIMITED)), varint(BigInt(value.length)), value);
  }
  return Buffer.concat(parts);
}

/** Encodes a number in base 128, lowest digits first. */
function varint(value: bigint): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, value);
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}

/** The fields of a message. If a field occurs more than once, the last value counts (as protobuf requires). */
class Fields {
  readonly #bytes: Buffer;
  readonly #values = new Map<number, bigint | Buffer>();
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    while (this.#at < bytes.length) {
      const tag = Number(this.#varint());
      const value = this.#value(tag & 7);
      if (value !== undefined) this.#values.set(tag >>> 3, value);
    }
  }

  /** An int64; 0 if it is absent. */
  int(number: number): bigint {
    const value = this.#values.get(number);
    return typeof value === "bigint" ? BigInt.asIntN(64, value) : 0n;
  }

  /** Bytes or a message; empty if absent. */
  bytes(number: number): Buffer {
    const value = this.#values.get(number);
    return value === undefined || typeof value === "bigint" ? Buffer.alloc(0) : value;
  }

  text(number: number): string {
    return this.bytes(number).toString("utf8");
  }

  #value(type: number): bigint | Buffer | undefined {
    if (type === VARINT) return this.#varint();
    if (type === DELIMITED) return this.#take(Number(this.#varint()));
    if (type === FIXED64 || type === FIXED32) this.#take(type === FIXED64 ? 8 : 4);
    else throw new RangeError(`unknown wire type ${type} in a packet`);
    return undefined;
  }

  #take(length: number): Buffer {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new RangeError("a packet was cut off");
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }

  #varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#take(1)[0] ?? 0;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw new RangeError("a number in a packet is longer than 64 bits");
  }
}
