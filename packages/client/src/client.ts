import type { ApiObject } from "@orchernetes/apimachinery";
import { type Clock, type Logger, silentLogger, systemClock } from "@orchernetes/kernel";
import { ContentNegotiation, type EncodedRequest, jsonRequest } from "./content/content-negotiation.ts";
import type { ContentTypes } from "./content/content-types.ts";
import { createResourceClient, type ResourceClient } from "./resource/resource-client.ts";
import type { ResourceRef } from "./resource/resource-ref.ts";
import { createTransport } from "./transport/create-transport.ts";
import { type ClientTls, staticToken, type TokenSource, tokenFromFile } from "./transport/credentials.ts";
import type { ClientMetrics } from "./transport/metrics.ts";
import { createTokenBucket, type RateLimiter, unlimited } from "./transport/rate-limiter.ts";
import { readError, readResult } from "./transport/read-response.ts";
import type { RawRequest, Requester } from "./transport/requester.ts";
import type { Transport, TransportResponse } from "./transport/transport.ts";
import { TransportError } from "./transport/transport-error.ts";
import { discard } from "./transport/whole-response.ts";

/**
 * Where the server is, who the client is, and its limits. Of `token`, `tokenFile`, `tokenSource` and `basicAuth` at
 * most one is needed; a bearer token has precedence over basic authentication.
 */
export interface ClientOptions {
  /** Address of the API server, `https://host:port` with an optional path prefix; `http:` for tests. */
  readonly server: string;
  /** TLS material, or a function that returns the current one; when it returns a new object, new connections use that. */
  readonly tls?: ClientTls | (() => ClientTls);
  /** A bearer token that does not change. */
  readonly token?: string;
  /** A file with a bearer token, which is read again when it changes. */
  readonly tokenFile?: string;
  /** A bearer token that the caller keeps up to date. */
  readonly tokenSource?: TokenSource;
  /** User name and password for basic authentication. */
  readonly basicAuth?: { readonly username: string; readonly password: string };
  /** Acts as another user; the client's own user needs the verb `impersonate`. */
  readonly impersonate?: { readonly user: string; readonly groups?: readonly string[]; readonly uid?: string };
  /**
   * Value of the header `User-Agent`, which audit events and the server's metrics of deprecated APIs contain.
   * @default orchernetes-client
   */
  readonly userAgent?: string;
  /** Requests per second on average; undefined or ≤ 0 is unlimited. */
  readonly qps?: number;
  /** Requests that may be sent at once above `qps`. @default qps, at least 1 */
  readonly burst?: number;
  /** A rate limiter that is shared with other clients, instead of `qps` and `burst`. */
  readonly rateLimiter?: RateLimiter;
  /** Milliseconds until the response must have arrived, or begun in case of a watch; 0 is no limit. @default 65000 */
  readonly timeoutMs?: number;
  /**
   * The largest number of connections. With TLS all requests and watches share one as long as the server accepts more
   * streams on it; over HTTP/1.1 each watch has a connection of its own beside these. @default 48
   */
  readonly maxConnections?: number;
  /** Media types of requests and responses. @default JSON */
  readonly contentTypes?: ContentTypes | undefined;
  readonly logger?: Logger;
  readonly clock?: Clock;
  readonly metrics?: ClientMetrics;
  /**
   * Called at the moment before a request that writes is sent, also before it is repeated; what it throws rejects the request. For
   * writers that may be replaced while they stand still: a daemon checks here that its lease has not run out.
   * @default writes are sent
   */
  readonly fence?: () => void;
  /** When it aborts, requests in flight end and later ones are rejected with its reason. */
  readonly signal?: AbortSignal;
}

/**
 * A connection to an API server. Requests wait for the rate limit and are sent over one HTTP/2 connection, or
 * kept-alive HTTP/1.1 connections. They are retried when the server asks for that (429, or 5xx with `Retry-After`; at
 * most ten times, at most 60 s apart), or when a reused connection was dead and repeating the request is safe.
 */
export interface Client extends Requester {
  /** Origin of the server, `https://host:port`, without a path prefix. */
  readonly server: string;
  /** Metrics of the client and of the informers and recorders that use it. @default none */
  readonly metrics?: ClientMetrics;
  /** The fence of its writes, for other clients of the same writer. */
  readonly fence?: () => void;
  /** The media types of its requests, for other clients of the same program. @default JSON */
  readonly contentTypes?: ContentTypes | undefined;
  /** Returns typed access to one resource. */
  resource<T extends ApiObject>(ref: ResourceRef<T>): ResourceClient<T>;
  /**
   * Returns a client of the same server and connections with another user agent, rate limit or identity. Closing
   * either of them closes the connections of both.
   */
  with(
    options: Pick<
      ClientOptions,
      "userAgent" | "qps" | "burst" | "rateLimiter" | "impersonate" | "metrics" | "token" | "tokenSource" | "fence"
    >,
  ): Client;
  /** Closes idle connections; those in use close when their request ends. */
  close(): void;
}

type Headers = Record<string, string | string[]>;

const maxRetries = 10;
/** A server that is overloaded, or wrong, must not be able to stop a client for an hour. */
const maxRetryAfterSeconds = 60;
/** Methods that may be repeated when it is unknown whether the server received the first request (RFC 9110, section 9.2.2). */
const idempotent: ReadonlySet<string> = new Set(["GET", "HEAD", "PUT", "DELETE"]);
/** Methods that write nothing. */
const reads: ReadonlySet<string> = new Set(["GET", "HEAD"]);

/**
 * Creates a client, which connects on first use.
 *
 * @throws TypeError when the address is not an http or https URL, or a given file cannot be read
 */
export function createClient(options: ClientOptions): Client {
  const server = parseServer(options.server);
  const tls = typeof options.tls === "function" ? options.tls : constant(options.tls ?? {});
  const transport = createTransport({ server, tls, maxConnections: options.maxConnections ?? 48 });
  const negotiation = options.contentTypes && new ContentNegotiation(options.contentTypes);
  return build(options, { server, transport, negotiation });
}

/** What clients of the same connections share. */
interface Connection {
  readonly server: URL;
  readonly transport: Transport;
  /** Undefined for JSON. */
  readonly negotiation: ContentNegotiation | undefined;
}

function build(options: ClientOptions, connection: Connection): Client {
  const { server, transport, negotiation } = connection;
  const { clock = systemClock, logger = silentLogger, metrics, timeoutMs = 65_000 } = options;
  const limiter = options.rateLimiter ?? limiterOf(options);
  const token = tokenSourceOf(options, clock);
  const baseHeaders = baseHeadersOf(options);
  const host = server.host;
  const fence = options.fence === undefined ? undefined : { beforeSend: options.fence };

  const send = async (request: RawRequest, stream: boolean, signal?: AbortSignal): Promise<TransportResponse> => {
    const { method } = request;
    const path = request.query === undefined ? request.path : request.path + queryString(request.query);
    let encoded = negotiation?.encode(request) ?? jsonRequest(request);
    let refusedOnce = false;
    for (let attempt = 0; ; attempt++) {
      const waiting = limiter.take(signal);
      if (waiting !== undefined) {
        const from = clock.monotonicMs();
        await waiting;
        metrics?.rateLimited?.({ method, host, waitedMs: clock.monotonicMs() - from });
      }
      const { body } = encoded;
      const finished = measured(metrics, method, host, body);
      let response: TransportResponse;
      try {
        response = await transport.send({
          method,
          path,
          headers: headersOf(request, encoded, baseHeaders, token?.current()),
          ...(body === undefined ? {} : { body }),
          stream,
          timeoutMs: request.timeoutMs ?? timeoutMs,
          ...(reads.has(method) ? undefined : fence),
          ...(signal === undefined ? {} : { signal }),
        });
      } catch (error) {
        finished("<error>");
        // A server closes idle connections without warning, so the first request after a pause may find a dead one.
        // Only the first attempt is repeated: a second failure has another cause.
        if (attempt === 0 && error instanceof TransportError && error.staleConnection && idempotent.has(method)) {
          metrics?.retried?.({ code: "<error>", method, host });
          continue;
        }
        throw error;
      }
      finished(String(response.statusCode), response.headers["content-length"]);
      response = negotiation?.read(response) ?? response;
      if (response.statusCode < 400) return response;
      if (negotiation?.fallsBack(response.statusCode, request, encoded)) {
        discard(response);
        encoded = jsonRequest(request);
        continue;
      }
      // The token may have expired since the file was read; a new one is tried once.
      if (response.statusCode === 401 && !refusedOnce && token !== undefined && (await token.refused())) {
        refusedOnce = true;
        discard(response);
        continue;
      }
      // The decision is the server's: without Retry-After an error is final, as repeating it would only add load.
      const delaySeconds = retryDelaySeconds(response);
      if (delaySeconds === undefined || attempt >= maxRetries) {
        throw await readError(response, method, signal);
      }
      discard(response);
      metrics?.retried?.({ code: String(response.statusCode), method, host });
      logger
        .v(4)
        ?.info("The server asked to try again later", { method, path, code: response.statusCode, delaySeconds });
      await clock.sleep(delaySeconds * 1000, signal);
    }
  };

  const client: Client = {
    server: server.origin,
    ...(metrics === undefined ? {} : { metrics }),
    ...(options.fence === undefined ? {} : { fence: options.fence }),
    contentTypes: options.contentTypes,
    async request(request) {
      const signal = joinSignals(options.signal, request.signal);
      return readResult(await send(request, false, signal), request, signal);
    },
    stream: (request) => send(request, true, joinSignals(options.signal, request.signal)),
    resource: (ref) => createResourceClient(client, ref),
    with: (more) => build({ ...options, ...more }, connection),
    close: () => transport.close(),
  };
  return client;
}

/** Measures a request that begins now: the result is called at its end. */
function measured(
  metrics: ClientMetrics | undefined,
  method: string,
  host: string,
  body: string | Uint8Array | undefined,
): (code: string, length?: string) => void {
  const startedAt = performance.now();
  return (code, length) =>
    metrics?.requestFinished?.({
      code,
      method,
      host,
      durationMs: performance.now() - startedAt,
      ...(body === undefined ? {} : { requestBytes: Buffer.byteLength(body) }),
      ...(length === undefined ? {} : { responseBytes: Number(length) }),
    });
}

const constant =
  <T>(value: T): (() => T) =>
  () =>
    value;

function parseServer(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol !== "https:" && url?.protocol !== "http:") {
    throw new TypeError(`server address ${JSON.stringify(address)}: expected a URL such as https://127.0.0.1:6443`);
  }
  return url;
}

function limiterOf({ qps, burst, clock }: ClientOptions): RateLimiter {
  if (qps === undefined || qps <= 0) return unlimited;
  return createTokenBucket({ qps, burst: Math.max(1, burst ?? qps), ...(clock === undefined ? {} : { clock }) });
}

function tokenSourceOf(options: ClientOptions, clock: Clock): TokenSource | undefined {
  if (options.tokenSource !== undefined) return options.tokenSource;
  if (options.token !== undefined) return staticToken(options.token);
  return options.tokenFile === undefined ? undefined : tokenFromFile(options.tokenFile, clock);
}

function baseHeadersOf({ userAgent = "orchernetes-client", basicAuth, impersonate }: ClientOptions): Headers {
  const headers: Headers = { "user-agent": userAgent };
  if (basicAuth !== undefined) {
    headers.authorization = `Basic ${Buffer.from(`${basicAuth.username}:${basicAuth.password}`).toString("base64")}`;
  }
  if (impersonate !== undefined) {
    headers["impersonate-user"] = impersonate.user;
    if (impersonate.groups !== undefined) headers["impersonate-group"] = [...impersonate.groups];
    if (impersonate.uid !== undefined) headers["impersonate-uid"] = impersonate.uid;
  }
  return headers;
}

/** Headers of one request. Those of the request itself have precedence. */
function headersOf(
  request: RawRequest,
  { accept, contentType, body }: EncodedRequest,
  base: Headers,
  bearer: string | undefined,
): Headers {
  const headers: Headers = { ...base, accept };
  if (body !== undefined) headers["content-type"] = contentType;
  if (bearer) headers.authorization = `Bearer ${bearer}`;
  return request.headers === undefined ? headers : Object.assign(headers, request.headers);
}

/** Combines two signals; the common cases allocate nothing. */
function joinSignals(a: AbortSignal | undefined, b: AbortSignal | undefined): AbortSignal | undefined {
  return a === undefined || a === b ? b : b === undefined ? a : AbortSignal.any([a, b]);
}

/** Returns `?a=1&b=true`, or "" when nothing is set. Undefined and empty values are left out. */
export function queryString(query: NonNullable<RawRequest["query"]>): string {
  let text = "";
  for (const [key, value] of Object.entries(query)) {
    if (value === undefined || value === "") continue;
    text += `${text === "" ? "?" : "&"}${encodeURIComponent(key)}=${encodeURIComponent(String(value))}`;
  }
  return text;
}

/** The seconds that the server asks the client to wait before it retries; undefined when the response is final. */
function retryDelaySeconds(response: TransportResponse): number | undefined {
  const { statusCode, headers } = response;
  const retryAfter = Number(headers["retry-after"]);
  const hinted = headers["retry-after"] !== undefined && Number.isFinite(retryAfter) && retryAfter >= 0;
  if (!hinted || (statusCode !== 429 && statusCode < 500)) return undefined;
  return Math.min(Math.max(retryAfter, 0), maxRetryAfterSeconds);
}
