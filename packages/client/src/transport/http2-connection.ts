import { isIP } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { ClientConnection, ConnectionError } from "@orchernetes/http2";
import type { ServerAddress } from "./address.ts";
import type { secureOptions } from "./agents.ts";
import { Http2Exchange } from "./http2-exchange.ts";
import { SharedAborts } from "./shared-aborts.ts";
import type { TransportOptions, TransportRequest, TransportResponse } from "./transport.ts";
import { transportError } from "./transport-error.ts";

/** How to connect to a server. */
export interface Http2ConnectionOptions {
  /** `https://host:port`, for messages and the authority of requests. */
  readonly origin: string;
  readonly address: ServerAddress;
  readonly secure: ReturnType<typeof secureOptions>;
  readonly keepAlive?: TransportOptions["keepAlive"];
}

/** Milliseconds for connecting, the TLS handshake and the server's settings together. */
const CONNECT_MS = 30_000;
/** A process that was stopped does not ping; its system ends the connection. */
const TCP_KEEP_ALIVE_MS = 30_000;
const DEFAULT_KEEP_ALIVE = { everyMs: 30_000, answerMs: 15_000 };
/** Bytes that the server may send on a stream before they are read. A list is longer, a burst of events rarely is. */
const STREAM_WINDOW = 256 * 1024;
/** Bytes for all streams together. */
const CONNECTION_WINDOW = 4 * 1024 * 1024;

/**
 * Connects with TLS and waits for the settings of the server, which contain its limit of streams.
 *
 * @returns undefined if the server does not support HTTP/2
 * @throws the error of Node, with a code
 */
export async function openHttp2(options: Http2ConnectionOptions): Promise<Http2Connection | undefined> {
  const { address, secure } = options;
  const socket = connectTls({
    ...(isIP(address.hostname) === 0 ? { servername: address.hostname } : {}),
    ...secure,
    host: address.hostname,
    port: address.port,
    ALPNProtocols: ["h2", "http/1.1"],
  });
  const late = setTimeout(() => {
    const text = `no connection within ${CONNECT_MS / 1000} s`;
    socket.destroy(Object.assign(new Error(text), { code: "ETIMEDOUT" }));
  }, CONNECT_MS);
  try {
    await connected(socket);
    if (socket.alpnProtocol !== "h2") {
      socket.destroy();
      return undefined;
    }
    socket.setNoDelay(true);
    socket.setKeepAlive(true, TCP_KEEP_ALIVE_MS);
    const connection = new Http2Connection(socket, options);
    await connection.ready;
    if (connection.room > 0) return connection;
    socket.destroy();
    throw Object.assign(new Error("the server accepts no streams"), { code: "EPROTO" });
  } finally {
    clearTimeout(late);
  }
}

function connected(socket: TLSSocket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once("error", reject);
    socket.once("secureConnect", () => {
      socket.off("error", reject);
      resolve();
    });
  });
}

/**
 * One HTTP/2 connection with all its requests. It is never repaired: when it breaks, or the server sends GOAWAY, it
 * is not usable any more, and its owner opens another. While it is open, a ping detects whether the server still
 * responds; a connection without requests does not keep the process running.
 */
export class Http2Connection {
  readonly #connection: ClientConnection;
  readonly #authority: string;
  readonly #base: string;
  /** For messages. */
  readonly address: string;
  /**
   * Whether a response has arrived. A connection that breaks at its first request was not merely idle for too long,
   * so that request is not repeated.
   */
  served = false;
  readonly aborts = new SharedAborts();

  constructor(socket: TLSSocket, { origin, address, keepAlive = DEFAULT_KEEP_ALIVE }: Http2ConnectionOptions) {
    this.#authority = new URL(origin).host;
    this.#base = address.base;
    this.address = origin + address.base;
    this.#connection = new ClientConnection(socket, {
      streamWindow: STREAM_WINDOW,
      connectionWindow: CONNECTION_WINDOW,
    });
    this.#connection.onBusy = (isBusy) => (isBusy ? socket.ref() : socket.unref());
    this.#keepAlive(keepAlive);
    socket.unref();
  }

  /** Resolves when the server's settings have arrived. @throws ConnectionError */
  get ready(): Promise<void> {
    return this.#connection.ready;
  }

  /** Whether requests can be sent on it at all; false after GOAWAY. */
  get open(): boolean {
    return this.#connection.open;
  }

  /** Number of further requests that the server accepts now; negative beyond its limit. */
  get room(): number {
    return this.#connection.room;
  }

  /**
   * Sends a request. The server refuses it beyond its limit of streams.
   *
   * @throws TransportError without a response; the signal's reason when it aborts
   */
  send(request: TransportRequest): Promise<TransportResponse> {
    const { method, path, headers, body } = request;
    const exchange = new Http2Exchange(this, request);
    try {
      const stream = this.#connection.request(
        {
          method,
          authority: this.#authority,
          path: this.#base + path,
          headers,
          body: body === undefined ? undefined : bytesOf(body),
        },
        exchange,
      );
      exchange.begin(stream);
    } catch (error) {
      return Promise.reject(transportError(method, this.address + path, error, { sent: false }));
    }
    return exchange.response;
  }

  /** Accepts no more requests, and closes the connection when the last one ends. */
  retire(): void {
    this.#connection.retire();
  }

  #keepAlive({ everyMs, answerMs }: NonNullable<TransportOptions["keepAlive"]>): void {
    const connection = this.#connection;
    let late: NodeJS.Timeout | undefined;
    const pings = setInterval(() => {
      if (late !== undefined) return;
      late = setTimeout(() => {
        const text = `the server did not respond to a ping within ${answerMs / 1000} s`;
        connection.destroy(new ConnectionError(text, "ETIMEDOUT"));
      }, answerMs).unref();
      connection.ping(() => {
        clearTimeout(late);
        late = undefined;
      });
    }, everyMs).unref();
    connection.onClose = () => {
      clearInterval(pings);
      clearTimeout(late);
    };
  }
}

const bytesOf = (body: string | Uint8Array): Buffer =>
  typeof body === "string" ? Buffer.from(body) : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
