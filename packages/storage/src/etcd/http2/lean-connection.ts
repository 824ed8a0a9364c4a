import type { Duplex } from "node:stream";
import { ClientConnection, ConnectionError } from "@orchernetes/http2";
import { type Dialer, messageOf } from "@orchernetes/kernel";
import { CallHeads } from "./call-heads.ts";
import { CallWatch } from "./call-watch.ts";
import type { CallSink, GrpcConnection, GrpcTarget } from "./connection.ts";
import { dial } from "./dial.ts";
import { WINDOW } from "./flow-control.ts";
import { GrpcError, GrpcStatus } from "./grpc-error.ts";
import { GrpcStream } from "./grpc-stream.ts";

/**
 * gRPC for many small calls, over a {@link ClientConnection}: calls wait until the connection is established, or the server accepts more
 * of them, and have deadlines and statuses.
 */
export class LeanConnection implements GrpcConnection {
  /** The calls that have not ended. */
  readonly calls = new Set<GrpcStream>();
  readonly #heads: CallHeads;
  readonly #watch = new CallWatch(this);
  /** Ends a dial in flight. */
  readonly #dialling = new AbortController();
  /** Undefined while it is not established. */
  #http: ClientConnection | undefined;
  /** Calls that have no stream yet. */
  #waiting: GrpcStream[] = [];
  #usable = true;
  isPaused = false;

  /** @param dialer opens the connection @default directly */
  constructor(target: GrpcTarget, dialer?: Dialer) {
    this.#heads = new CallHeads(target);
    dial(target, dialer, this.#dialling.signal, {
      onSocket: (socket) => this.#start(socket),
      onError: (error) => this.fail(reasonOf(error)),
    });
  }

  get usable(): boolean {
    return this.#usable && (this.#http?.open ?? true);
  }

  /** When the server was last heard; undefined while the connection is not established. */
  get receivedMs(): number | undefined {
    return this.#http?.receivedMs;
  }

  call(path: string, only: Uint8Array | undefined, timeoutMs: number, sink: CallSink): GrpcStream {
    const stream = new GrpcStream(this, path, only, timeoutMs, sink);
    if (!this.usable) {
      queueMicrotask(() => stream.end(new GrpcError(GrpcStatus.unavailable, "the connection is closed")));
      return stream;
    }
    if (timeoutMs <= 0) {
      queueMicrotask(() =>
        stream.end(new GrpcError(GrpcStatus.deadlineExceeded, "the deadline passed before the call")),
      );
      return stream;
    }
    this.calls.add(stream);
    if (this.#http !== undefined && this.#http.room > 0) this.#begin(this.#http, stream);
    else this.#waiting.push(stream);
    this.#watch.add(stream);
    return stream;
  }

  flush(): void {
    this.#http?.flush();
  }

  pause(): void {
    this.isPaused = true;
    this.#http?.pause();
  }

  resume(): void {
    this.isPaused = false;
    this.#http?.resume();
  }

  /** Ends all calls. Idempotent. */
  close(): void {
    this.fail("the connection was closed by this side");
  }

  /** @internal */
  ended(stream: GrpcStream): void {
    this.calls.delete(stream);
    if (this.#waiting.length === 0) return;
    this.#waiting = this.#waiting.filter((other) => other !== stream);
    this.#admit();
  }

  /** @internal */
  ping(): void {
    this.#http?.ping();
  }

  /** @internal The connection takes no more calls, and ends with the last one; if it is not established, with this one. */
  suspect(): void {
    this.#usable = false;
    if (this.#http !== undefined) this.#http.retire();
    else setImmediate(() => this.fail("the connection was not established in time"));
  }

  /** @internal Ends the connection and all calls on it. Idempotent. */
  fail(reason: string): void {
    this.#usable = false;
    this.#watch.stop();
    this.#dialling.abort();
    this.#http?.destroy(new ConnectionError(reason, "ECONNRESET"));
    this.#refuseWaiting(reason);
  }

  #start(socket: Duplex): void {
    const http = new ClientConnection(socket, { streamWindow: WINDOW, connectionWindow: WINDOW });
    http.onRoom = () => this.#admit();
    http.onGoaway = ({ message }) => this.#refuseWaiting(message);
    http.onClose = ({ message }) => this.fail(message);
    if (this.isPaused) http.pause();
    this.#http = http;
    this.#admit();
  }

  /** Opens streams for waiting calls, as many as the server allows. */
  #admit(): void {
    const http = this.#http;
    while (http?.open && http.room > 0) {
      const stream = this.#waiting.shift();
      if (stream === undefined) return;
      this.#begin(http, stream);
    }
  }

  #begin(http: ClientConnection, stream: GrpcStream): void {
    stream.begin(
      http.begin(
        { block: this.#heads.of(stream.path), body: stream.takeUnsent(), isFinished: stream.finished },
        stream,
      ),
    );
  }

  #refuseWaiting(reason: string): void {
    for (const stream of this.#waiting.splice(0)) stream.end(new GrpcError(GrpcStatus.unavailable, reason));
  }
}

/** Why there is no connection; the error of a host with several addresses has only a code. */
function reasonOf(error: unknown): string {
  return messageOf(error) || String((error as NodeJS.ErrnoException).code ?? error);
}
