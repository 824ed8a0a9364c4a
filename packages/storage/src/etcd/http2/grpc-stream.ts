import { GrpcError, GrpcStatus } from "./grpc-error.ts";
import type { Header } from "./hpack.ts";

/** Bytes before each message: whether it is compressed, and its length. */
const MESSAGE_HEAD = 5;

/** Who hears what comes of a call. Neither method may throw. */
export interface StreamSink {
  /** A whole message, in memory of its own. */
  onMessage(message: Buffer): void;
  /** The last call; undefined: the server ended it with status OK. */
  onEnd(error: GrpcError | undefined): void;
}

/** A message as gRPC sends it. */
export function framedMessage(message: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(MESSAGE_HEAD + message.length);
  bytes[0] = 0;
  bytes.writeUInt32BE(message.length, 1);
  bytes.set(message, MESSAGE_HEAD);
  return bytes;
}

/** One call on a connection: collects what the server sends into messages, and holds what is still to be sent. */
export class GrpcStream {
  readonly path: string;
  /** By `performance.now()`, as all times here. */
  readonly startedMs = performance.now();
  /** When it is given up; infinite for streams without an end. */
  readonly deadlineMs: number;
  /** 0 until the connection has taken it on. */
  id = 0;
  /** What the server still takes of this stream. */
  window = 0;
  /** Bytes the server has sent that it has not been told were taken. */
  untold = 0;
  /** Messages that have not been sent, each with its head. */
  unsent: Buffer[] = [];
  /** Whether this side sends no more after `unsent`. */
  finished = false;
  ended = false;
  /** Gone with the end: a table of streams that was left behind must not keep callers through collections. */
  #sink: StreamSink | undefined;
  #parts: Buffer[] = [];
  #size = 0;

  constructor(path: string, timeoutMs: number, sink: StreamSink) {
    this.path = path;
    this.deadlineMs = this.startedMs + timeoutMs;
    this.#sink = sink;
  }

  /** Takes a part of the server's messages. */
  receive(data: Buffer): void {
    // A copy: the view is of a buffer that all calls of the connection share, which a kept value would keep alive.
    this.#parts.push(Buffer.from(data));
    this.#size += data.length;
    while (this.#size >= MESSAGE_HEAD && !this.ended) {
      const [first] = this.#parts;
      if (first === undefined) return;
      const head = first.length >= MESSAGE_HEAD ? first : this.#joined();
      const length = head.readUInt32BE(1);
      if (this.#size < MESSAGE_HEAD + length) return;
      const bytes = this.#joined();
      const end = MESSAGE_HEAD + length;
      this.#parts = end === bytes.length ? [] : [bytes.subarray(end)];
      this.#size -= end;
      if (bytes[0] !== 0) {
        this.end(new GrpcError(GrpcStatus.unknown, "the server sent a compressed message, which nobody asked for"));
        return;
      }
      this.#sink?.onMessage(bytes.subarray(MESSAGE_HEAD, end));
    }
  }

  /** Ends it by the fields that come after all messages, or in place of them. */
  endBy(headers: readonly Header[]): void {
    const field = (name: string) => headers.find(([other]) => other === name)?.[1];
    const status = field("grpc-status");
    if (status === "0") {
      this.end(undefined);
      return;
    }
    if (status === undefined) {
      const code = field(":status") ?? "none";
      this.end(
        new GrpcError(GrpcStatus.unavailable, `the server answered with HTTP status ${code} and no gRPC status`),
      );
      return;
    }
    this.end(new GrpcError(Number(status), decodeMessage(field("grpc-message") ?? "")));
  }

  end(error: GrpcError | undefined): void {
    if (this.ended) return;
    this.ended = true;
    this.unsent = [];
    this.#parts = [];
    const sink = this.#sink;
    this.#sink = undefined;
    sink?.onEnd(error);
  }

  #joined(): Buffer {
    const [only] = this.#parts;
    if (this.#parts.length === 1 && only !== undefined) return only;
    const all = Buffer.concat(this.#parts, this.#size);
    this.#parts = [all];
    return all;
  }
}

function decodeMessage(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
