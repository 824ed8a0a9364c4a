import { GrpcError, GrpcStatus } from "./grpc-error.ts";

/** Bytes before each message: a flag for compression, and the length (gRPC over HTTP/2, Length-Prefixed-Message). */
const MESSAGE_HEAD = 5;

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
    this.#parts.push(part);
    this.#size += part.length;
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

/**
 * Reads the status of a call from its trailers, or from headers without messages.
 *
 * @param field returns a header by its name in lower case
 * @returns undefined for status OK
 */
export function statusOf(field: (name: string) => string | undefined): GrpcError | undefined {
  const status = field("grpc-status");
  if (status === "0") return undefined;
  if (status === undefined) {
    const code = field(":status") ?? "none";
    return new GrpcError(GrpcStatus.unavailable, `the response has HTTP status ${code} and no gRPC status`);
  }
  return new GrpcError(Number(status), decoded(field("grpc-message") ?? ""));
}

/** The message is percent-encoded; one that is not valid is used as it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
