import type { ConnectionError } from "../connection-error.ts";
import type { Header } from "../hpack.ts";
import type { RequestStream, ResponseHandler } from "../request-stream.ts";
import type { CallSink, GrpcCall } from "./grpc-call.ts";
import { GrpcError, GrpcStatus } from "./grpc-error.ts";
import { framedMessage, MessageAssembler } from "./grpc-framing.ts";
import { statusError } from "./grpc-status.ts";

/** The connection of a {@link GrpcStream}, as the stream sees it. */
export interface StreamOwner {
  /** Called once, before the sink learns of the end. */
  ended(stream: GrpcStream): void;
}

/** One call on a connection: frames the messages to be sent, and assembles those of the server. */
export class GrpcStream implements GrpcCall, ResponseHandler {
  readonly path: string;
  /** Start of the call. All times here are those of `performance.now()`. */
  readonly startedMs = performance.now();
  /** When the call times out; infinite for streams that never end. */
  readonly deadlineMs: number;
  /** Whether this side sends no more. */
  finished: boolean;
  ended = false;
  readonly #owner: StreamOwner;
  readonly #messages: MessageAssembler;
  /** What was sent before there was a stream. */
  #unsent: Buffer | undefined;
  #stream: RequestStream | undefined;
  /** Cleared at the end: a stale table of streams must not keep callers alive through garbage collections. */
  #sink: CallSink | undefined;

  /**
   * @param only the single message of a unary call
   * @param maxMessageBytes limit of a message of the server
   */
  constructor(
    owner: StreamOwner,
    path: string,
    only: Uint8Array | undefined,
    timeoutMs: number,
    maxMessageBytes: number,
    sink: CallSink,
  ) {
    this.#owner = owner;
    this.#messages = new MessageAssembler(maxMessageBytes);
    this.path = path;
    this.#unsent = only === undefined ? undefined : framedMessage(only);
    this.finished = only !== undefined;
    this.deadlineMs = this.startedMs + timeoutMs;
    this.#sink = sink;
  }

  /** What the call begins with: the messages that were sent so far. */
  takeUnsent(): Buffer | undefined {
    const unsent = this.#unsent;
    this.#unsent = undefined;
    return unsent;
  }

  /** Called when the call has its stream. */
  begin(stream: RequestStream): void {
    this.#stream = stream;
  }

  send(message: Uint8Array): void {
    if (this.ended || this.finished) return;
    const bytes = framedMessage(message);
    if (this.#stream !== undefined) this.#stream.send(bytes);
    else this.#unsent = this.#unsent === undefined ? bytes : Buffer.concat([this.#unsent, bytes]);
  }

  finish(): void {
    this.finished = true;
    this.#stream?.finish();
  }

  cancel(error: GrpcError): void {
    if (this.ended) return;
    this.#stream?.cancel();
    this.end(error);
  }

  onHeaders(_status: number, fields: readonly Header[], isEnd: boolean): void {
    if (isEnd) this.#endBy(fields);
  }

  onData(part: Buffer): void {
    this.#stream?.consumed(part.length);
    // A copy: the view is of a buffer that all calls of the connection share, and a value that is kept would keep it
    // alive.
    this.#messages.add(Buffer.from(part));
    try {
      for (let message = this.#messages.next(); message !== undefined; message = this.#messages.next()) {
        this.#sink?.onMessage(message);
        if (this.ended) return;
      }
    } catch (error) {
      this.cancel(error instanceof GrpcError ? error : new GrpcError(GrpcStatus.unknown, String(error)));
    }
  }

  onEnd(trailers: readonly Header[]): void {
    if (trailers.length > 0) this.#endBy(trailers);
    else this.end(new GrpcError(GrpcStatus.unavailable, "the server ended the call without a status"));
  }

  onFailure(error: ConnectionError): void {
    this.end(new GrpcError(GrpcStatus.unavailable, error.message, { cause: error }));
  }

  end(error: GrpcError | undefined): void {
    if (this.ended) return;
    this.ended = true;
    this.#unsent = undefined;
    const sink = this.#sink;
    this.#sink = undefined;
    this.#owner.ended(this);
    sink?.onEnd(error);
  }

  /** Ends the call with the status in its trailers, or in headers without messages. */
  #endBy(fields: readonly Header[]): void {
    this.end(statusError((name) => fields.find(([other]) => other === name)?.[1]));
  }
}
