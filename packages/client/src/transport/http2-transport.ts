import { addressOf } from "./address.ts";
import { secureOptions } from "./agents.ts";
import type { ClientTls } from "./credentials.ts";
import { timedOut } from "./exchange.ts";
import { type Http2Connection, openHttp2 } from "./http2-connection.ts";
import type { Transport, TransportOptions, TransportRequest, TransportResponse } from "./transport.ts";
import { TransportError, transportError } from "./transport-error.ts";

/** How often a request is sent again that the server has not seen, because its connection was about to end. */
const MAX_ATTEMPTS = 3;

/**
 * Creates a transport over HTTP/2. All requests share one connection; another one is opened when the server's limit of
 * streams is reached, when a connection ends, and when the TLS material changes: requests in flight then end on the old one.
 *
 * @param http1 carries the requests to a server that does not speak HTTP/2, until it fails to connect: then the server is asked again
 */
export function createHttp2Transport(options: TransportOptions, http1: Transport): Transport {
  const pool = new Http2Pool(options);
  let speaksHttp1 = false;

  const overHttp1 = async (request: TransportRequest): Promise<TransportResponse> => {
    try {
      return await http1.send(request);
    } catch (error) {
      if (error instanceof TransportError && error.code !== "ETIMEDOUT") speaksHttp1 = false;
      throw error;
    }
  };

  const send = async (request: TransportRequest): Promise<TransportResponse> => {
    for (let failures = 0; ; ) {
      request.signal?.throwIfAborted();
      if (speaksHttp1) return overHttp1(request);
      let connection = pool.ready();
      if (connection === undefined) {
        connection = await pool.connect(request);
        speaksHttp1 = connection === undefined;
        // Others that waited for it may have taken all its streams: only what is sent in the turn of the check has room.
        if (connection === undefined || pool.has(connection)) continue;
      }
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
  /** Counts how often all connections were left. */
  #generation = 0;

  constructor(options: TransportOptions) {
    this.#options = options;
  }

  /** A connection with room for another request; if there can be no more connections, the one with the fewest beyond its limit. */
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

  /** Connections end with their last requests. */
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
    // After a change or the end in the meantime, it is for those who wait for it only.
    if (generation !== this.#generation) setImmediate(() => connection.retire());
    else this.#connections = [...this.#connections.filter(({ open }) => open), connection];
    return connection;
  }

  /** Leaves the connections whose material has been replaced. */
  #follow(): void {
    const material = this.#options.tls();
    if (this.#material === material) return;
    this.#material = material;
    this.#secure = undefined;
    this.close();
  }
}

/** The value of the promise, unless the request's timeout or signal ends the wait. */
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
