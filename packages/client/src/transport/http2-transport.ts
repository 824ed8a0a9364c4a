import { addressOf } from "./address.ts";
import { secureOptions } from "./agents.ts";
import type { ClientTls } from "./credentials.ts";
import { timedOut } from "./exchange.ts";
import { type Http2Connection, openHttp2 } from "./http2-connection.ts";
import type { Transport, TransportOptions, TransportRequest, TransportResponse } from "./transport.ts";
import { TransportError, transportError } from "./transport-error.ts";

/** How often a request is sent that the server has not processed, because its connection was about to end. */
const MAX_ATTEMPTS = 3;

/**
 * Creates a transport over HTTP/2. All requests share one connection; another one is opened when the server's limit
 * of streams is reached, when a connection ends, and when the TLS material changes: requests in flight then end on
 * the old one.
 *
 * @param http1 carries the requests to a server that does not support HTTP/2. When it fails to connect, the server
 *   may have been replaced, so the next request negotiates the protocol again.
 */
export function createHttp2Transport(options: TransportOptions, http1: Transport): Transport {
  const pool = new Http2Pool(options);
  let onlyHttp1 = false;

  const overHttp1 = async (request: TransportRequest): Promise<TransportResponse> => {
    try {
      return await http1.send(request);
    } catch (error) {
      if (error instanceof TransportError && error.code !== "ETIMEDOUT") onlyHttp1 = false;
      throw error;
    }
  };

  const send = async (request: TransportRequest): Promise<TransportResponse> => {
    for (let failures = 0; ; ) {
      request.signal?.throwIfAborted();
      if (onlyHttp1) return overHttp1(request);
      let connection = pool.ready();
      if (connection === undefined) {
        connection = await pool.connect(request);
        onlyHttp1 = connection === undefined;
        // Others that waited for it may have taken all its streams: only a request that is sent in the same turn as
        // the check has room for certain.
        if (connection === undefined || pool.has(connection)) continue;
      }
      request.beforeSend?.();
      try {
        return await connection.send(request);
      } catch (error) {
        if (++failures === MAX_ATTEMPTS || !(error instanceof TransportError) || error.sent) throw error;
      }
    }
  };

  return {
    send,
    close() {
      pool.close();
      http1.close();
    },
  };
}

/** The HTTP/2 connections to one server. */
class Http2Pool {
  readonly #options: TransportOptions;
  #material: ClientTls | undefined;
  #secure: ReturnType<typeof secureOptions> | undefined;
  #connections: readonly Http2Connection[] = [];
  #opening: Promise<Http2Connection | undefined> | undefined;
  /** Increases whenever all connections are retired, so that one that was being opened is recognized as outdated. */
  #generation = 0;

  constructor(options: TransportOptions) {
    this.#options = options;
  }

  /**
   * A connection with room for another request. If there can be no more connections, the one that is least above its
   * limit.
   */
  ready(): Http2Connection | undefined {
    this.#follow();
    const [first] = this.#connections;
    if (first?.open && first.room > 0) return first;
    const open = this.#connections.filter((connection) => connection.open);
    const [best] = open.toSorted((a, b) => b.room - a.room);
    return best === undefined || best.room > 0 || open.length >= this.#options.maxConnections ? best : undefined;
  }

  /** Whether {@link ready} takes the connection into account. */
  has(connection: Http2Connection): boolean {
    return connection.open && this.#connections.includes(connection);
  }

  /**
   * Waits for a connection, which is opened once for all that wait.
   *
   * @returns undefined if the server does not speak HTTP/2
   * @throws TransportError; the signal's reason
   */
  async connect(request: TransportRequest): Promise<Http2Connection | undefined> {
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined;
    });
    try {
      return await within(this.#opening, request);
    } catch (error) {
      if (request.signal?.aborted) throw request.signal.reason;
      const { server } = this.#options;
      const url = server.origin + addressOf(server).base + request.path;
      throw transportError(request.method, url, error, { sent: false });
    }
  }

  /** Retires all connections: each closes with its last request. */
  close(): void {
    for (const connection of this.#connections) connection.retire();
    this.#connections = [];
    this.#generation++;
  }

  async #open(): Promise<Http2Connection | undefined> {
    const { server, keepAlive } = this.#options;
    this.#follow();
    const generation = this.#generation;
    this.#secure ??= secureOptions(this.#material ?? {});
    const connection = await openHttp2({
      origin: server.origin,
      address: addressOf(server),
      secure: this.#secure,
      ...(keepAlive === undefined ? {} : { keepAlive }),
    });
    if (connection === undefined) return undefined;
    // If the material changed or the transport closed in the meantime, the connection serves only those who wait for
    // it.
    if (generation !== this.#generation) setImmediate(() => connection.retire());
    else this.#connections = [...this.#connections.filter(({ open }) => open), connection];
    return connection;
  }

  /** Retires the connections whose TLS material has been replaced. */
  #follow(): void {
    const material = this.#options.tls();
    if (this.#material === material) return;
    this.#material = material;
    this.#secure = undefined;
    this.close();
  }
}

/**
 * The value of the promise, unless the request's timeout or signal ends the wait first. The promise itself continues,
 * for others that wait for it.
 */
function within<T>(promise: Promise<T>, { timeoutMs, signal }: TransportRequest): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = timeoutMs > 0 ? setTimeout(() => reject(timedOut(timeoutMs)), timeoutMs) : undefined;
    const onAbort = (): void => reject(signal?.reason);
    signal?.addEventListener("abort", onAbort, { once: true });
    promise.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    });
  });
}
