import { type ClientHttp2Session, type ClientHttp2Stream, connect, type IncomingHttpHeaders } from "node:http2";
import type { Duplex } from "node:stream";

/** Size of the head of a message: a flag for compression, and the length of the message (gRPC over HTTP/2). */
const HEAD_BYTES = 5;
/** Maximum size of a received message in bytes, the default of gRPC. */
const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;
/** Time for the other side to end a call after this one did, in milliseconds. */
const LINGER_MS = 5000;

/** Receives what the server sends. */
export interface GrpcCallSink {
  /** Receives a whole message. An error that it throws ends the call. */
  onMessage(message: Buffer): void;
  /** Called once, at the end. Without an error, the server has ended the call with status OK. */
  onEnd(error: Error | undefined): void;
}

/**
 * A call with streams of messages in both directions. It has a connection of its own, so that a call whose data is not read does not delay
 * others. Unlike the calls of the store's lean connections, it keeps to the flow control of HTTP/2 in both directions.
 */
export class GrpcCall {
  readonly #session: ClientHttp2Session;
  readonly #stream: ClientHttp2Stream;
  readonly #sink: GrpcCallSink;
  #received: Buffer = Buffer.alloc(0);
  #status: IncomingHttpHeaders = {};
  #failure: Error | undefined;
  #ended = false;

  /**
   * @param link the connection, which belongs to the call
   * @param path `/service/method`
   */
  constructor(link: Duplex, path: string, sink: GrpcCallSink) {
    this.#sink = sink;
    this.#session = connect("http://localhost", { createConnection: () => link, settings: { enablePush: false } });
    this.#session.on("error", (error: Error) => this.#end(error));
    this.#session.on("close", () => this.#end(new Error("the connection was closed")));
    this.#stream = this.#session.request(
      { ":method": "POST", ":path": path, "content-type": "application/grpc", te: "trailers" },
      { endStream: false },
    );
    this.#stream.on("response", (headers) => this.#begun(headers));
    this.#stream.on("trailers", (headers: IncomingHttpHeaders) => {
      this.#status = headers;
    });
    this.#stream.on("data", (chunk: Buffer) => this.#receive(chunk));
    this.#stream.on("error", (error: Error) => {
      this.#failure = error;
    });
    this.#stream.on("end", () => this.#end(this.#failure ?? statusError(this.#status)));
    this.#stream.on("close", () => this.#end(this.#failure ?? statusError(this.#status)));
  }

  /** @param done called when more can be sent, also with an error */
  send(message: Buffer, done: (error?: Error | null) => void): void {
    if (this.#ended) {
      done(new Error("the call has ended"));
      return;
    }
    const head = Buffer.alloc(HEAD_BYTES);
    head.writeUInt32BE(message.length, 1);
    this.#stream.write(Buffer.concat([head, message]), done);
  }

  pause(): void {
    this.#stream.pause();
  }

  resume(): void {
    this.#stream.resume();
  }

  /** Ends the sending side. The other side has 5 s to end the call as well; then the connection is closed. */
  finish(): void {
    if (this.#ended) return;
    this.#stream.end();
    this.#stream.resume();
    setTimeout(() => this.#session.destroy(), LINGER_MS).unref();
  }

  #begun(headers: IncomingHttpHeaders): void {
    const status = Number(headers[":status"]);
    if (headers["grpc-status"] !== undefined) this.#status = headers;
    if (status !== 200) this.#end(new Error(`it answered with HTTP status ${status}, where gRPC has 200`));
  }

  #receive(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    try {
      for (let message = this.#next(); message !== undefined && !this.#ended; message = this.#next())
        this.#sink.onMessage(message);
    } catch (error) {
      this.#end(error instanceof Error ? error : new Error(String(error)));
    }
  }

  /** Takes the next whole message from the received bytes; undefined if it is incomplete. @throws RangeError */
  #next(): Buffer | undefined {
    if (this.#received.length < HEAD_BYTES) return undefined;
    const length = this.#received.readUInt32BE(1);
    if (this.#received[0] !== 0) throw new RangeError("it sent a compressed message, which nobody asked for");
    if (length > MAX_MESSAGE_BYTES)
      throw new RangeError(`it sent a message of ${length} bytes; accepted are ${MAX_MESSAGE_BYTES}`);
    const end = HEAD_BYTES + length;
    if (this.#received.length < end) return undefined;
    const message = this.#received.subarray(HEAD_BYTES, end);
    this.#received = this.#received.subarray(end);
    return message;
  }

  #end(error: Error | undefined): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#session.destroy();
    this.#sink.onEnd(error);
  }
}

/** Returns the error in the trailers; undefined for status OK. */
function statusError(headers: IncomingHttpHeaders): Error | undefined {
  const status = headers["grpc-status"];
  if (status === "0") return undefined;
  if (status === undefined) return new Error("it ended the call without a status");
  return new Error(`it ended the call with gRPC status ${status}: ${messageIn(headers)}`);
}

function messageIn(headers: IncomingHttpHeaders): string {
  const message = String(headers["grpc-message"] ?? "");
  try {
    return decodeURIComponent(message);
  } catch {
    return message;
  }
}
