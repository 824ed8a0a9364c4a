import { GrpcError, GrpcStatus } from "./grpc-error.ts";

/** Bytes before each message: a flag for compression, and the length (gRPC over HTTP/2, Length-Prefixed-Message). */
const MESSAGE_HEAD = 5;
/** Parts are joined up to this size: the object that holds a part takes about a hundred bytes, even if the part is a single byte. */
const SMALL_BYTES = 16_384;

/** A message as gRPC sends it. */
export function framedMessage(message: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(MESSAGE_HEAD + message.length);
  bytes[0] = 0;
  bytes.writeUInt32BE(message.length, 1);
  bytes.set(message, MESSAGE_HEAD);
  return bytes;
}

/** Assembles the server's messages from the parts in which they arrive. */
export class MessageAssembler {
  readonly #maxBytes: number;
  #parts: Buffer[] = [];
  #size = 0;

  /** @param maxBytes limit of a message @default none */
  constructor(maxBytes = Number.POSITIVE_INFINITY) {
    this.#maxBytes = maxBytes;
  }

  /**
   * Adds received bytes.
   *
   * @param part kept until its messages are read
   */
  add(part: Buffer): void {
    this.#size += part.length;
    let joined = part;
    // A part is joined only with one before it that is no longer, so that each byte is copied a few times at most.
    for (let before = this.#parts.at(-1); before !== undefined; before = this.#parts.at(-1)) {
      if (before.length > joined.length || before.length + joined.length > SMALL_BYTES) break;
      joined = Buffer.concat([before, joined]);
      this.#parts.pop();
    }
    this.#parts.push(joined);
  }

  /**
   * The next whole message, a view of the parts; undefined if it has not arrived.
   *
   * @throws GrpcError for a compressed message, and for one that is too large, as soon as its length is known
   */
  next(): Buffer | undefined {
    const [first] = this.#parts;
    if (first === undefined || this.#size < MESSAGE_HEAD) return undefined;
    const head = first.length >= MESSAGE_HEAD ? first : this.#joined();
    const length = head.readUInt32BE(1);
    if (length > this.#maxBytes)
      throw new GrpcError(
        GrpcStatus.resourceExhausted,
        `the server sent a message of ${length} bytes; want at most ${this.#maxBytes}`,
      );
    const end = MESSAGE_HEAD + length;
    if (this.#size < end) return undefined;
    const bytes = this.#joined();
    this.#parts = end === bytes.length ? [] : [bytes.subarray(end)];
    this.#size -= end;
    if (bytes[0] !== 0)
      throw new GrpcError(GrpcStatus.unknown, "the server sent a compressed message, which was not requested");
    return bytes.subarray(MESSAGE_HEAD, end);
  }

  #joined(): Buffer {
    const [only] = this.#parts;
    if (this.#parts.length === 1 && only !== undefined) return only;
    const all = Buffer.concat(this.#parts, this.#size);
    this.#parts = [all];
    return all;
  }
}
