import type { Duplex } from "node:stream";
import { ClientConnection } from "../client-connection.ts";
import { ConnectionError } from "../connection-error.ts";
import { MAX_WINDOW } from "../flow-control.ts";
import type { Header } from "../hpack.ts";
import { CallHeads } from "./call-heads.ts";
import { CallTimer } from "./call-timer.ts";
import type { CallSink } from "./grpc-call.ts";
import { GrpcError, GrpcStatus } from "./grpc-error.ts";
import { GrpcStream } from "./grpc-stream.ts";

/** Receives the outcome of a dial: one of the two is called, once. */
export interface DialSink {
  /** The connection can be written to. */
  readonly onSocket: (socket: Duplex) => void;
  readonly onError: (error: unknown) => void;
}

/** The options of a {@link GrpcClientConnection}. */
export interface GrpcConnectionOptions {
  /** All header fields of the calls of a method, by its path. They are encoded once for each method. */
  readonly headersOf: (path: string) => readonly Header[];
  /** Connects to the server, once. The signal ends the attempt; after that, the sink is not called. */
  readonly dial: (signal: AbortSignal, sink: DialSink) => void;
  /** Largest message of the server in bytes; a call with a larger one fails with RESOURCE_EXHAUSTED. @default none */
  readonly maxMessageBytes?: number;
  /**
   * Whether a server that is silent during a call is pinged, and the connection ends if it does not respond. By default, servers that use
   * grpc-go end connections of clients that ping more often than every five minutes. @default true
   */
  readonly pings?: boolean;
}

/** Responses are read as fast as they arrive, so the server need not be throttled. */
const WINDOW = MAX_WINDOW;

/**
 * gRPC for many small calls, over a {@link ClientConnection}: calls wait until the connection is established, or the server accepts more
 * of them, and have deadlines and statuses. A connection that breaks or receives GOAWAY is not repaired: it becomes unusable, its calls end
 * with UNAVAILABLE, and its owner creates another.
 */
export class GrpcClientConnection {
  /** The calls that have not ended. */
  readonly calls = new Set<GrpcStream>();
  readonly #heads: CallHeads;
  readonly #timer: CallTimer;
  readonly #maxMessageBytes: number;
  /** Ends a dial in flight. */
  readonly #dialling = new AbortController();
  /** Undefined while it is not established. */
  #http: ClientConnection | undefined;
  /** Calls that have no stream yet. */
  #waiting: GrpcStream[] = [];
  #usable = true;
  isPaused = false;

  constructor({ headersOf, dial, maxMessageBytes, pings = true }: GrpcConnectionOptions) {
    this.#heads = new CallHeads(headersOf);
    this.#timer = new CallTimer(this, pings);
    this.#maxMessageBytes = maxMessageBytes ?? Number.POSITIVE_INFINITY;
    dial(this.#dialling.signal, {
      onSocket: (socket) => this.#start(socket),
      onError: (error) => this.fail(reasonOf(error)),
    });
  }

  /** Whether new calls can be made. */
  get usable(): boolean {
    return this.#usable && (this.#http?.open ?? true);
  }

  /** When the server was last heard; undefined while the connection is not established. */
  get receivedMs(): number | undefined {
    return this.#http?.receivedMs;
  }

  /**
   * Starts a call.
   *
   * @param path `/service/method`
   * @param only the single message of a unary call; undefined if messages are sent by {@link GrpcStream.send}
   * @param timeoutMs time limit of the whole call in milliseconds, including the wait for the connection
   */
  call(path: string, only: Uint8Array | undefined, timeoutMs: number, sink: CallSink): GrpcStream {
    const stream = new GrpcStream(this, path, only, timeoutMs, this.#maxMessageBytes, sink);
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
    this.#timer.add(stream);
    return stream;
  }

  /** Sends now what would be sent at the end of this turn of the event loop. */
  flush(): void {
    this.#http?.flush();
  }

  /** Stops reading what the server sends, for all calls, until {@link resume}. */
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

  /** @internal The connection accepts no more calls, and ends with the last one; one that is not established ends now. */
  suspect(): void {
    this.#usable = false;
    if (this.#http === undefined) {
      setImmediate(() => this.fail("the connection was not established in time"));
      return;
    }
    this.#http.retire();
    // No stream is opened any more, so waiting calls would last until their deadlines. Those whose deadline has passed end first, with that
    // as the reason.
    setImmediate(() => this.#refuseWaiting("the server does not respond"));
  }

  /** @internal Ends the connection and all calls on it. Idempotent. */
  fail(reason: string): void {
    this.#usable = false;
    this.#timer.stop();
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
  const { message, code } = error as NodeJS.ErrnoException;
  return message || String(code ?? error);
}
