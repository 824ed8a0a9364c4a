import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from "node:http2";
import { isIP } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import type { ServerAddress } from "./address.ts";
import type { secureOptions } from "./agents.ts";
import { type Exchange, responseTo } from "./exchange.ts";
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
/**
 * Bytes for all streams together. Node counts them as read when they arrive, so a stream that is not read does not
 * block the others.
 */
const CONNECTION_WINDOW = 4 * 1024 * 1024;
/** Memory of a session, in MB, beyond which Node rejects streams. Several long lists at once must fit. */
const SESSION_MEMORY_MB = 256;

/**
 * Connects with TLS and waits for the settings of the server, which contain its limit of streams.
 *
 * @returns undefined if the server does not support HTTP/2
 * @throws the error of Node, with a code
 */
export async function openHttp2(options: Http2ConnectionOptions): Promise<Http2Connection | undefined> {
  const { origin, address, secure } = options;
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
    const session = connect(origin, {
      createConnection: () => socket,
      settings: { enablePush: false, initialWindowSize: STREAM_WINDOW },
      maxSessionMemory: SESSION_MEMORY_MB,
    });
    const connection = new Http2Connection(session, options);
    await settingsOf(session);
    if (connection.room > 0) return connection;
    session.destroy();
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

function settingsOf(session: ClientHttp2Session): Promise<void> {
  return new Promise((resolve, reject) => {
    session.once("remoteSettings", () => resolve());
    session.once("error", reject);
    session.once("close", () => reject(closedError("the server closed the connection before its settings")));
  });
}

const closedError = (text: string): Error => Object.assign(new Error(text), { code: "ECONNRESET" });

/**
 * One HTTP/2 connection with all its requests. It is never repaired: when it breaks, or the server sends GOAWAY, it
 * is not usable any more, and its owner opens another. While it is open, a ping detects whether the server still
 * responds; a connection without requests does not keep the process running.
 */
export class Http2Connection {
  readonly #session: ClientHttp2Session;
  readonly #origin: string;
  readonly #base: string;
  #streams = 0;
  /** Streams that the server accepts at the same time. */
  #limit = Number.POSITIVE_INFINITY;
  /**
   * Whether a response has arrived. A connection that breaks at its first request was not merely idle for too long,
   * so that request is not repeated.
   */
  #served = false;

  constructor(
    session: ClientHttp2Session,
    { origin, address, keepAlive = DEFAULT_KEEP_ALIVE }: Http2ConnectionOptions,
  ) {
    this.#session = session;
    this.#origin = origin;
    this.#base = address.base;
    // Each request gets the error itself.
    session.on("error", () => undefined);
    // The window of the connection is not a setting: it can only be enlarged once the session stands.
    session.once("connect", () => session.setLocalWindowSize(CONNECTION_WINDOW));
    session.on("remoteSettings", ({ maxConcurrentStreams }) => {
      this.#limit = maxConcurrentStreams ?? Number.POSITIVE_INFINITY;
    });
    this.#keepAlive(keepAlive);
    session.unref();
  }

  /** Whether requests can be sent on it at all; false after GOAWAY. */
  get open(): boolean {
    return !this.#session.closed && !this.#session.destroyed;
  }

  /** Number of further requests that the server accepts now; negative beyond its limit. */
  get room(): number {
    return this.#limit - this.#streams;
  }

  /**
   * Sends a request. Beyond the server's limit of streams Node queues it.
   *
   * @throws TransportError without a response; the signal's reason when it aborts
   */
  async send(request: TransportRequest): Promise<TransportResponse> {
    const { method, path, headers, body } = request;
    const fields = {
      ...headers,
      ...(body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) }),
      ":method": method,
      ":path": this.#base + path,
    };
    let stream: ClientHttp2Stream;
    try {
      stream = this.#session.request(fields, { endStream: body === undefined });
    } catch (error) {
      throw transportError(method, this.#origin + this.#base + path, error, { sent: false });
    }
    if (this.#streams++ === 0) this.#session.ref();
    stream.once("close", () => {
      if (--this.#streams === 0) this.#session.unref();
    });
    const response = responseTo(this.#exchangeOf(stream, request), request);
    if (body !== undefined) stream.end(body);
    return response;
  }

  /** Accepts no more requests, and closes the connection when the last one ends. */
  retire(): void {
    this.#session.close();
  }

  #exchangeOf(stream: ClientHttp2Stream, { method, path }: TransportRequest): Exchange {
    const reused = this.#served;
    let responded = false;
    return {
      onResponse: (callback) =>
        stream.once("response", (headers) => {
          responded = true;
          this.#served = true;
          callback({ statusCode: headers[":status"] ?? 0, headers, body: stream });
        }),
      onFailure: (callback) => {
        const failed = (error: Error): void =>
          callback(
            transportError(method, this.#origin + this.#base + path, error, {
              reused,
              // The server has not processed a refused stream (RFC 9113, section 8.7), so any request may be
              // repeated.
              ...(stream.rstCode === constants.NGHTTP2_REFUSED_STREAM ? { sent: false } : {}),
            }),
          );
        stream.on("error", failed);
        stream.once("close", () => {
          if (!responded) failed(closedError("the connection ended before the response"));
        });
      },
      cancel(error) {
        stream.close(constants.NGHTTP2_CANCEL);
        stream.destroy(error);
      },
    };
  }

  #keepAlive({ everyMs, answerMs }: NonNullable<TransportOptions["keepAlive"]>): void {
    const session = this.#session;
    let late: NodeJS.Timeout | undefined;
    const pings = setInterval(() => {
      if (late !== undefined || session.destroyed) return;
      late = setTimeout(() => {
        const text = `the server did not respond to a ping within ${answerMs / 1000} s`;
        session.destroy(Object.assign(new Error(text), { code: "ETIMEDOUT" }));
      }, answerMs).unref();
      session.ping(() => {
        clearTimeout(late);
        late = undefined;
      });
    }, everyMs).unref();
    session.once("close", () => {
      clearInterval(pings);
      clearTimeout(late);
    });
  }
}
