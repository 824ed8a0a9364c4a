import { once } from "node:events";
import type { ServerOptions as Http1Options, Server as Http1Server } from "node:http";
import {
  constants,
  createSecureServer,
  type Http2SecureServer,
  type SecureServerOptions,
  type ServerHttp2Session,
} from "node:http2";
import { type AddressInfo, Server as NetServer, type Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import {
  type Connection,
  defaultTurnBudget,
  type EventLoop,
  type HttpHandler,
  type HttpRequest,
  type HttpResponse,
  isGone,
  type Logger,
  messageOf,
  systemEventLoop,
  TaskLane,
} from "@orchernetes/kernel";
import { ConfigurationError } from "../configuration-error.ts";
import { endInTurns } from "./end-in-turns.ts";
import { respond } from "./http.ts";
import { loadServingCertificates, type TlsOptions } from "./serving-certificates.ts";
import { UnknownConnections, type UnknownLimits } from "./unknown-connections.ts";

/** The options of a secure port. */
export interface SecureServingOptions {
  readonly bindAddress: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly tls: TlsOptions;
  /** `--http2-max-streams-per-connection`; 0 means 250. @default 0 */
  readonly http2MaxStreams?: number;
  /** `--permit-port-sharing`. (Address reuse is always on.) */
  readonly reusePort?: boolean;
  /** Interval at which certificate files are checked for changes, in milliseconds. @default 2000 */
  readonly reloadIntervalMs?: number;
  /** @default that of this process */
  readonly loop?: EventLoop;
  readonly logger: Logger;
  /** Connections of unauthenticated clients. */
  readonly unknownLimits?: UnknownLimits;
  /** Called for every TLS handshake that fails. */
  readonly onHandshakeError?: () => void;
  /** Ends the watch of the certificate files. It does not close the server: call `drain` or `close`. */
  readonly signal: AbortSignal;
}

/** A listening secure server. */
export interface SecureServing {
  /** The server itself, for `upgrade` events and the like. */
  readonly server: Http2SecureServer;
  readonly address: string;
  readonly port: number;
  /**
   * Accepts no new connections. Open ones are served as before; HTTP/2 clients are instructed to send their next
   * requests elsewhere. Idempotent.
   */
  stopAccepting(): void;
  /**
   * Closes the connections for which the condition holds, with all requests on them: for credentials that are no longer
   * valid. Returns how many were closed.
   */
  endConnections(condition: (connection: Connection) => boolean): number;
  /**
   * Stops accepting, drains requests in flight for at most `graceMs`, closes idle connections, then the remaining ones.
   * Resolves when all connections are closed.
   */
  drain(graceMs: number): Promise<void>;
  /** Closes the port and all connections immediately. */
  close(): Promise<void>;
}

/**
 * Limits of streams that a client resets: at once, and per second after that. A connection beyond them is closed
 * (CVE-2023-44487, "rapid reset").
 */
const resetBurst = 1000;
const resetRate = 33;

/** Limit of all header fields of a request together, in bytes: tokens and certificates in headers are long. */
const maxHeaderBytes = 64 * 1024;

/** Limit of header fields of a request over HTTP/2. Over HTTP/1.1 only the number of bytes limits them. */
const maxHeaderFields = 1000;

/** Timeout of the TLS handshake, in milliseconds: upstream's time for the first header. */
const handshakeMs = 32_000;

/**
 * Time for which an idle HTTP/1.1 connection is kept, in milliseconds; longer than clients keep theirs, so that clients
 * close first.
 */
const keepAliveMs = 120_000;

/** Options that Node.js passes on to its HTTP/1.1 parser. */
const http1Limits: Http1Options = { maxHeaderSize: maxHeaderBytes, keepAliveTimeout: keepAliveMs };

/**
 * Interval at which a drain checks which connections are idle, in milliseconds: a request may already have been sent on
 * them.
 */
const quietMs = 200;

/**
 * Limits per turn of the event loop: of started requests, and of connections that end, which take about 0.2 ms each.
 */
const requestBudget = defaultTurnBudget;
const endBudget = { weight: 20 } as const;
/** The end of an HTTP/2 connection ends all of its streams, which takes a whole turn. */
const http2EndWeight = endBudget.weight;

/** The greatest stream identifier: GOAWAY with it rejects no stream, and asks the client to open no further ones. */
const lastStream = 2 ** 31 - 1;

/**
 * Listens with TLS for HTTP/2 and HTTP/1.1. Certificates and client CAs are replaced without a restart when their files
 * change. If there is a client CA, a certificate is requested from clients but not required: authentication
 * decides what it proves.
 * @throws TlsMaterialError for invalid certificate files; ConfigurationError when the address cannot be listened on
 */
export async function createSecureServing(options: SecureServingOptions, handler: HttpHandler): Promise<SecureServing> {
  const { logger, loop = systemEventLoop, signal } = options;
  const holder: { server?: Http2SecureServer } = {};
  const certificates = await loadServingCertificates(options.tls, {
    signal,
    logger,
    ...(options.reloadIntervalMs === undefined ? {} : { reloadIntervalMs: options.reloadIntervalMs }),
    onChange: () => holder.server?.setSecureContext(certificates.contextOptions()),
  });
  const server = createSecureServer({
    ...certificates.contextOptions(),
    allowHTTP1: true,
    ...limitsOf(options),
    requestCert: certificates.requestCert,
    rejectUnauthorized: false,
    SNICallback: (name, done) => done(null, certificates.select(name)),
  });
  holder.server = server;
  // Beyond its default limit of 2000, Node.js silently drops fields, among which may be those that impersonate a user.
  (server as unknown as Pick<Http1Server, "maxHeadersCount">).maxHeadersCount = 0;

  const unknown = new UnknownConnections(options.unknownLimits);
  const http1Sockets = new Set<TLSSocket>();
  const sessions = new Set<ServerHttp2Session>();
  const sockets = new Set<Socket>();
  server.on("session", (session) => {
    sessions.add(session);
    unknown.opened(session);
    session.once("close", () => sessions.delete(session));
    session.on("error", (error) => logger.v(4)?.info("HTTP/2 session ended", { error }));
  });
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.on("sessionError", (error) => logger.v(4)?.info("HTTP/2 session failed", { error }));
  server.on("tlsClientError", (error, socket) => {
    options.onHandshakeError?.();
    logger.v(3)?.info("TLS handshake failed", { error, remote: socket.remoteAddress });
  });
  const ends = new TaskLane(loop, endBudget);
  server.on("secureConnection", (socket: TLSSocket) => {
    const isHttp2 = socket.alpnProtocol === "h2";
    endInTurns(socket, ends, isHttp2 ? http2EndWeight : 1);
    if (isHttp2) return;
    http1Sockets.add(socket);
    unknown.opened(socket);
    socket.once("close", () => http1Sockets.delete(socket));
  });
  const requests = new TaskLane(loop, requestBudget);
  server.on("request", (request: HttpRequest, response: HttpResponse) => {
    response.on("error", (error) => logger.v(4)?.info("Response was cut off", { error }));
    unknown.requested(request, response);
    requests.run(() => {
      // The client has disconnected before the request had its turn.
      if (isGone(response)) return;
      new Promise((resolve) => resolve(handler(request, response))).catch((error: unknown) => {
        logger.error(error, "Request failed without a response", { method: request.method });
        respond(request, response, 500, { "content-type": "text/plain; charset=utf-8" }, "internal server error\n");
      });
    });
  });

  await listen(server, options);
  const bound = server.address() as AddressInfo;
  const closed = once(server, "close");
  closed.then(() => unknown.stop());
  const stopAccepting = () => {
    if (!server.listening) return;
    // The server's own `close` would also close idle HTTP/1.1 connections, on which the client may already have sent
    // the next request.
    NetServer.prototype.close.call(server);
    for (const session of sessions) {
      if (!session.closed && !session.destroyed) session.goaway(constants.NGHTTP2_NO_ERROR, lastStream);
    }
  };
  const drain = async (graceMs: number): Promise<void> => {
    stopAccepting();
    await closeWithin(graceMs, { server, sessions, sockets, closed });
  };
  const endConnections = (condition: (connection: Connection) => boolean): number => {
    const ended = [...sessions, ...http1Sockets].filter((connection) => !connection.destroyed && condition(connection));
    for (const connection of ended) connection.destroy();
    return ended.length;
  };
  return {
    server,
    address: bound.address,
    port: bound.port,
    stopAccepting,
    endConnections,
    drain,
    close: () => drain(0),
  };
}

/** Limits of connections and of the requests on them. */
function limitsOf({ http2MaxStreams }: SecureServingOptions): SecureServerOptions {
  return {
    ...http1Limits,
    settings: {
      maxConcurrentStreams: http2MaxStreams || 250,
      initialWindowSize: 256 * 1024,
      maxHeaderListSize: maxHeaderBytes,
    },
    handshakeTimeout: handshakeMs,
    maxHeaderListPairs: maxHeaderFields,
    maxSessionRejectedStreams: 100,
    maxSessionInvalidFrames: 100,
    streamResetBurst: resetBurst,
    streamResetRate: resetRate,
  };
}

/** Closes connections as they become idle, and the remaining ones after the grace period. */
async function closeWithin(
  graceMs: number,
  open: {
    readonly server: Http2SecureServer;
    readonly sessions: ReadonlySet<ServerHttp2Session>;
    readonly sockets: ReadonlySet<Socket>;
    readonly closed: Promise<unknown>;
  },
): Promise<void> {
  const cut = () => {
    for (const session of open.sessions) session.destroy();
    for (const socket of open.sockets) socket.destroy();
  };
  const closeQuiet = () => {
    for (const session of open.sessions) session.close();
    // Present when HTTP/1.1 is allowed, though not declared.
    (open.server as unknown as Pick<Http1Server, "closeIdleConnections">).closeIdleConnections();
  };
  const looking = setInterval(closeQuiet, quietMs);
  const timer = setTimeout(cut, graceMs);
  await open.closed;
  clearInterval(looking);
  clearTimeout(timer);
}

async function listen(server: Http2SecureServer, options: SecureServingOptions): Promise<void> {
  const listening = once(server, "listening");
  // Without a host the server listens on both IP families, which is the meaning of a blank or unspecified address.
  const everywhere = ["", "0.0.0.0", "::"].includes(options.bindAddress);
  server.listen({
    port: options.port,
    ...(everywhere ? {} : { host: options.bindAddress }),
    ...(options.reusePort ? { reusePort: true } : {}),
  });
  try {
    await listening;
  } catch (error) {
    const why = messageOf(error);
    throw new ConfigurationError(
      [
        `cannot listen on ${options.bindAddress}:${options.port}: ${why}; want a free --secure-port and an address of this host as --bind-address`,
      ],
      { cause: error },
    );
  }
}
