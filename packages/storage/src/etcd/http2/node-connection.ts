import { type ClientHttp2Session, type ClientHttp2Stream, connect } from "node:http2";
import {
  type CallSink,
  framedMessage,
  type GrpcCall,
  GrpcError,
  GrpcStatus,
  MessageAssembler,
  statusError,
} from "@orchernetes/http2/grpc";
import { authorityOf, callHeaders, type GrpcConnection, type GrpcTarget, serverName } from "./connection.ts";

const CANCEL = 8;
const WINDOW = 2 ** 31 - 1;
/** Milliseconds within which the server must respond to a PING after a call has timed out. */
const PONG_MS = 10_000;

/**
 * A connection on Node's own HTTP/2: the simple reference that {@link LeanConnection} is tested against. It passes
 * the same tests and can replace it, but each call costs several times as much.
 */
export class NodeConnection implements GrpcConnection {
  readonly #target: GrpcTarget;
  readonly #session: ClientHttp2Session;
  readonly #calls = new Set<NodeCall>();
  #receivedMs = performance.now();
  #usable = true;

  constructor(target: GrpcTarget) {
    this.#target = target;
    const { host, tls } = target;
    const authority = `${tls === undefined ? "http" : "https"}://${authorityOf(target)}`;
    this.#session = connect(authority, {
      settings: { initialWindowSize: WINDOW, enablePush: false },
      ...serverName(host),
      ...tls,
    });
    this.#session.once("connect", () => this.#session.setLocalWindowSize(WINDOW));
    this.#session.on("error", (error: NodeJS.ErrnoException) =>
      this.#break(error.message || (error.code ?? String(error))),
    );
    this.#session.on("goaway", () => {
      this.#usable = false;
    });
    this.#session.on("close", () => this.#break("the connection was closed"));
  }

  get usable(): boolean {
    return this.#usable;
  }

  call(path: string, only: Uint8Array | undefined, timeoutMs: number, sink: CallSink): GrpcCall {
    const call = new NodeCall(sink, {
      received: () => {
        this.#receivedMs = performance.now();
      },
      expired: (startedMs) => this.#expired(startedMs),
      ended: (ended) => this.#ended(ended),
    });
    if (!this.#usable) {
      queueMicrotask(() => call.end(new GrpcError(GrpcStatus.unavailable, "the connection is closed")));
      return call;
    }
    if (timeoutMs <= 0) {
      queueMicrotask(() => call.end(new GrpcError(GrpcStatus.deadlineExceeded, "the deadline passed before the call")));
      return call;
    }
    this.#calls.add(call);
    const stream = this.#session.request({
      ":method": "POST",
      ":path": path,
      ":authority": authorityOf(this.#target),
      ...Object.fromEntries(callHeaders(path)),
    });
    call.begin(stream, timeoutMs);
    if (only !== undefined) {
      call.send(only);
      call.finish();
    }
    return call;
  }

  pause(): void {
    for (const call of this.#calls) call.pause();
  }

  resume(): void {
    for (const call of this.#calls) call.resume();
  }

  close(): void {
    this.#break("the connection was closed by this side");
  }

  #ended(call: NodeCall): void {
    this.#calls.delete(call);
    if (!this.#usable && this.#calls.size === 0) setImmediate(() => this.#break("the connection was retired"));
  }

  #expired(startedMs: number): void {
    if (this.#receivedMs >= startedMs || !this.#usable) return;
    this.#usable = false;
    const timer = setTimeout(() => this.#break("the server does not respond"), PONG_MS).unref();
    this.#session.ping(() => clearTimeout(timer));
  }

  #break(reason: string): void {
    this.#usable = false;
    this.#session.destroy();
    for (const call of [...this.#calls]) call.end(new GrpcError(GrpcStatus.unavailable, reason));
  }
}

/** The connection of a {@link NodeCall}, as the call sees it. */
interface CallOwner {
  /** Called when the server has sent data. */
  readonly received: () => void;
  /** The deadline of a call that began at `startedMs` has passed. */
  readonly expired: (startedMs: number) => void;
  readonly ended: (call: NodeCall) => void;
}

class NodeCall implements GrpcCall {
  readonly #sink: CallSink;
  readonly #owner: CallOwner;
  readonly #messages = new MessageAssembler();
  readonly #startedMs = performance.now();
  #stream: ClientHttp2Stream | undefined;
  #timer: NodeJS.Timeout | undefined;
  #ended = false;

  constructor(sink: CallSink, owner: CallOwner) {
    this.#sink = sink;
    this.#owner = owner;
  }

  begin(stream: ClientHttp2Stream, timeoutMs: number): void {
    this.#stream = stream;
    stream.on("response", (headers, flags) => {
      this.#owner.received();
      // A status instead of messages.
      if (headers["grpc-status"] !== undefined || (flags & 1) !== 0) this.#endBy(headers);
    });
    stream.on("data", (part: Buffer) => this.#receive(part));
    let trailers: Readonly<Record<string, unknown>> | undefined;
    stream.on("trailers", (headers) => {
      trailers = headers;
    });
    // After the last message, which may wait while the call is paused.
    stream.on("end", () => trailers && this.#endBy(trailers));
    let failure: NodeJS.ErrnoException | undefined;
    stream.on("error", (error: NodeJS.ErrnoException) => {
      failure = error;
    });
    stream.on("close", () => {
      let reason = failure?.message || (failure?.code ?? "the server ended the call without a status");
      if (failure?.code === "ERR_HTTP2_STREAM_ERROR")
        reason = `the server reset the stream with code ${stream.rstCode}`;
      this.end(new GrpcError(GrpcStatus.unavailable, reason));
    });
    if (timeoutMs === Number.POSITIVE_INFINITY) return;
    this.#timer = setTimeout(() => {
      this.#owner.expired(this.#startedMs);
      this.cancel(new GrpcError(GrpcStatus.deadlineExceeded, "the deadline passed before the response"));
    }, timeoutMs).unref();
  }

  send(message: Uint8Array): void {
    if (!this.#ended && this.#stream?.writable) this.#stream.write(framedMessage(message));
  }

  finish(): void {
    if (!this.#ended) this.#stream?.end();
  }

  cancel(error: GrpcError): void {
    if (this.#ended) return;
    this.end(error);
  }

  pause(): void {
    this.#stream?.pause();
  }

  resume(): void {
    this.#stream?.resume();
  }

  end(error: GrpcError | undefined): void {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#timer);
    if (error !== undefined) this.#stream?.close(CANCEL);
    this.#sink.onEnd(error);
    this.#owner.ended(this);
  }

  #receive(part: Buffer): void {
    this.#owner.received();
    this.#messages.add(part);
    try {
      for (let message = this.#messages.next(); message !== undefined; message = this.#messages.next()) {
        if (this.#ended) return;
        this.#sink.onMessage(message);
      }
    } catch (error) {
      this.end(error instanceof GrpcError ? error : new GrpcError(GrpcStatus.unknown, String(error)));
    }
  }

  #endBy(headers: Readonly<Record<string, unknown>>): void {
    this.end(
      statusError((name) => {
        const value = headers[name];
        return value === undefined ? undefined : String(value);
      }),
    );
  }
}
