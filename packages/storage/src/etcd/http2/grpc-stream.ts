import type { Header } from "@orchernetes/http2";
import type { CallSink, GrpcCall } from "./connection.ts";
import { GrpcError, GrpcStatus } from "./grpc-error.ts";
import { MessageAssembler, statusOf } from "./grpc-framing.ts";

/** The connection of a {@link GrpcStream}, as the stream sees it. */
export interface StreamOwner {
  send(stream: GrpcStream, message: Uint8Array): void;
  finish(stream: GrpcStream): void;
  cancel(stream: GrpcStream, error: GrpcError): void;
}

/** One call on a connection: assembles the messages of the server, and holds the data to be sent. */
export class GrpcStream implements GrpcCall {
  readonly path: string;
  /** Start of the call. All times here are those of `performance.now()`. */
  readonly startedMs = performance.now();
  /** When the call times out; infinite for streams that never end. */
  readonly deadlineMs: number;
  /** The id of the HTTP/2 stream; 0 until the connection has opened it. */
  id = 0;
  /** Bytes that the flow control of the server still allows for this stream (RFC 9113, section 5.2). */
  window = 0;
  /** Bytes received since the last WINDOW_UPDATE of this stream. */
  unacknowledged = 0;
  /** The single message of a unary call, without a prefix, until its stream is opened. */
  only: Uint8Array | undefined;
  /** Messages that have not been sent, each with its prefix. */
  unsent: Buffer[] = [];
  /** Whether this side sends no more after `unsent`. */
  finished = false;
  ended = false;
  readonly #owner: StreamOwner;
  readonly #messages = new MessageAssembler();
  /** Cleared at the end: a stale table of streams must not keep callers alive through garbage collections. */
  #sink: CallSink | undefined;

  constructor(owner: StreamOwner, path: string, timeoutMs: number, sink: CallSink) {
    this.#owner = owner;
    this.path = path;
    this.deadlineMs = this.startedMs + timeoutMs;
    this.#sink = sink;
  }

  send(message: Uint8Array): void {
    this.#owner.send(this, message);
  }

  finish(): void {
    this.#owner.finish(this);
  }

  cancel(error: GrpcError): void {
    this.#owner.cancel(this, error);
  }

  /** Receives a part of the server's messages. */
  receive(data: Buffer): void {
    // A copy: the view is of a buffer that all calls of the connection share, and a value that is kept would keep it
    // alive.
    this.#messages.add(Buffer.from(data));
    try {
      for (let message = this.#messages.next(); message !== undefined; message = this.#messages.next()) {
        this.#sink?.onMessage(message);
        if (this.ended) return;
      }
    } catch (error) {
      this.end(error instanceof GrpcError ? error : new GrpcError(GrpcStatus.unknown, String(error)));
    }
  }

  /** Ends the call with the status in its trailers, or in headers without messages. */
  endBy(headers: readonly Header[]): void {
    this.end(statusOf((name) => headers.find(([other]) => other === name)?.[1]));
  }

  end(error: GrpcError | undefined): void {
    if (this.ended) return;
    this.ended = true;
    this.only = undefined;
    this.unsent = [];
    const sink = this.#sink;
    this.#sink = undefined;
    sink?.onEnd(error);
  }
}
