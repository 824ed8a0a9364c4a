import { connect, type Socket } from "node:net";
import { type DialSink, type GrpcCall, GrpcClientConnection, GrpcError, GrpcStatus } from "@orchernetes/http2/grpc";

/** Limits of one call. */
export interface UnaryLimits {
  /** `Infinity` for none. */
  readonly timeoutMs: number;
  /** Aborting it cancels the call. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Unary calls to the gRPC server on a unix socket, all over one connection. A call opens the connection if there is none; while no server
 * listens, each call fails at once.
 */
export class UnaryCalls {
  readonly #socketPath: string;
  readonly #maxMessageBytes: number;
  #connection: GrpcClientConnection | undefined;
  #socket: Socket | undefined;
  /** The calls that have not ended. Some may be on an earlier connection, which takes no more calls. */
  readonly #calls = new Set<GrpcCall>();

  constructor(socketPath: string, maxMessageBytes: number) {
    this.#socketPath = socketPath;
    this.#maxMessageBytes = maxMessageBytes;
  }

  /**
   * @param path `/service/method`
   * @param message the request
   * @returns the response
   * @throws GrpcError; UNAVAILABLE if the server cannot be reached, CANCELLED when the signal aborts
   */
  call(path: string, message: Uint8Array, { timeoutMs, signal }: UnaryLimits): Promise<Buffer> {
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    let response: Buffer | undefined;
    const call: GrpcCall = this.#usable().call(path, message, timeoutMs, {
      onMessage(bytes) {
        if (response === undefined) response = bytes;
        else call.cancel(new GrpcError(GrpcStatus.internal, "the server sent two responses"));
      },
      onEnd: (error) => {
        this.#ended(call);
        signal?.removeEventListener("abort", cancel);
        if (error !== undefined) reject(error);
        else if (response === undefined) reject(new GrpcError(GrpcStatus.internal, "the server sent no response"));
        else resolve(response);
      },
    });
    this.#began(call);
    const cancel = (): void => call.cancel(new GrpcError(GrpcStatus.cancelled, "cancelled by this side"));
    if (signal?.aborted) cancel();
    else signal?.addEventListener("abort", cancel, { once: true });
    return promise;
  }

  /** Ends the connection and all calls. */
  close(): void {
    this.#connection?.close();
    for (const call of this.#calls) call.cancel(new GrpcError(GrpcStatus.unavailable, "the client was closed"));
  }

  /** Called for each call: calls keep the process alive, an idle connection does not. */
  #began(call: GrpcCall): void {
    this.#calls.add(call);
    this.#socket?.ref();
  }

  #ended(call: GrpcCall): void {
    this.#calls.delete(call);
    if (this.#calls.size === 0) this.#socket?.unref();
  }

  #usable(): GrpcClientConnection {
    if (this.#connection?.usable) return this.#connection;
    this.#connection = new GrpcClientConnection({
      headersOf: callHeaders,
      dial: (signal, sink) => {
        this.#socket = dial(this.#socketPath, signal, sink);
      },
      maxMessageBytes: this.#maxMessageBytes,
      // The kernel reports when a peer on the same host is gone, and containerd ends connections of clients that ping often.
      pings: false,
    });
    return this.#connection;
  }
}

const callHeaders = (path: string): readonly (readonly [string, string])[] => [
  [":method", "POST"],
  [":scheme", "http"],
  [":path", path],
  // Servers in Go reject the path of the socket as authority.
  [":authority", "localhost"],
  ["te", "trailers"],
  ["content-type", "application/grpc"],
];

function dial(path: string, signal: AbortSignal, { onSocket, onError }: DialSink): Socket {
  const socket = connect({ path });
  const end = (): void => void socket.destroy();
  const settle = (): void => {
    signal.removeEventListener("abort", end);
    socket.off("connect", onConnect).off("error", onFailure);
  };
  const onConnect = (): void => {
    settle();
    onSocket(socket);
  };
  const onFailure = (error: Error): void => {
    settle();
    onError(error);
  };
  socket.once("connect", onConnect).once("error", onFailure);
  signal.addEventListener("abort", end, { once: true });
  return socket;
}
