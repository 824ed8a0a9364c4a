import http, { type IncomingMessage, type OutgoingHttpHeaders } from "node:http";
import https from "node:https";
import { isIP } from "node:net";
import { pipeline } from "node:stream/promises";
import { ApiError, badRequest, internalError, serviceUnavailable } from "@orchernetes/apimachinery";
import { withoutBearerProtocol } from "@orchernetes/auth";
import { type HttpRequest, type HttpResponse, isGone } from "@orchernetes/kernel";
import type { DialledRequest } from "../egress/dialled-agents.ts";
import { NO_ANSWER, withAdvice } from "./agent-advice.ts";
import { bodyForm, framed } from "./body-framing.ts";
import { htmlLinks, isPage } from "./html-links.ts";
import type { LinkRewriter } from "./link-rewriter.ts";

/** Headers that concern one connection only (RFC 9110 §7.6.1), and credentials that are meant for this server. */
const NOT_FORWARDED = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "http2-settings",
  "host",
  "authorization",
]);

/**
 * Response headers that only this server may set: they would let pages of any origin read responses with the credentials that a
 * browser has for this server.
 */
export const CORS_HEADERS: readonly string[] = [
  "access-control-allow-credentials",
  "access-control-allow-headers",
  "access-control-allow-methods",
  "access-control-allow-origin",
];

const NOT_RELAYED: ReadonlySet<string> = new Set([...NOT_FORWARDED, ...CORS_HEADERS]);

/** Request headers as another server may see them: no pseudo headers, nothing of this connection, no credentials, no identities. */
export function forwardableHeaders(request: Pick<HttpRequest, "headers">): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = {};
  const connectionSpecific = new Set(
    (request.headers.connection ?? "").split(",").map((name) => name.trim().toLowerCase()),
  );
  for (const [name, value] of Object.entries(request.headers)) {
    if (value === undefined || name.startsWith(":") || NOT_FORWARDED.has(name) || connectionSpecific.has(name))
      continue;
    if (name.startsWith("x-remote-") || name.startsWith("impersonate-")) continue;
    headers[name] = value;
  }
  const protocols = withoutBearerProtocol(request.headers["sec-websocket-protocol"]);
  if (protocols === "") delete headers["sec-websocket-protocol"];
  else if (protocols !== undefined) headers["sec-websocket-protocol"] = protocols;
  return headers;
}

/** The destination of a request. */
export interface ProxyTarget {
  readonly protocol: "http:" | "https:";
  /** The IP address to connect to. */
  readonly host: string;
  readonly port: number;
  /** Name of the other side, also in its certificate. @default `host` */
  readonly name?: string;
  /** Path with query. */
  readonly path: string;
  readonly agent?: http.Agent;
}

/** The whole request; resolves when the answer has been passed on. Errors before the answer starts are ApiErrors. */
export function proxyHttp(
  request: HttpRequest,
  response: HttpResponse,
  target: ProxyTarget,
  options: {
    /** Time until the response must begin, in milliseconds. */
    readonly timeoutMs: number;
    readonly signal: AbortSignal;
    readonly describe: string;
    /** Whether the client may be sent elsewhere. */
    readonly redirects: "passed" | "refused";
    /** Rewrites links of pages and Location headers. @default none */
    readonly links?: LinkRewriter;
    /** Whether the other side is a node's agent, whose errors can be explained. @default false */
    readonly isAgent?: boolean;
  },
): Promise<void> {
  return new Promise((resolve, reject) => {
    const client = target.protocol === "https:" ? https : http;
    const form = bodyForm(request);
    const { name = target.host } = target;
    const headers = { ...framed(forwardableHeaders(request), form), host: `${bracketed(name)}:${target.port}` };
    const late = new AbortController();
    const outgoing: https.RequestOptions & DialledRequest = {
      host: target.host,
      port: target.port,
      path: target.path,
      method: request.method ?? "GET",
      headers,
      signal: options.signal,
      ...(target.agent && { agent: target.agent }),
      // Without a name the certificate must name the address.
      ...(target.protocol === "https:" && { servername: isIP(name) === 0 ? name : "" }),
      dialSignal: AbortSignal.any([options.signal, late.signal]),
    };
    const upstream = client.request(outgoing);
    const deadline = setTimeout(() => {
      const error = Object.assign(new Error(`no response within ${options.timeoutMs} ms`), { code: NO_ANSWER });
      upstream.destroy(error);
      late.abort(error);
    }, options.timeoutMs);
    const fail = (error: Error) => {
      clearTimeout(deadline);
      if (response.headersSent) reject(error);
      else {
        const why = options.isAgent ? withAdvice(error.message, error) : error.message;
        reject(new ApiError(serviceUnavailable(`error trying to reach ${options.describe}: ${why}`).status));
      }
    };
    upstream.on("response", (answer) => {
      clearTimeout(deadline);
      const { statusCode = 0 } = answer;
      if (options.redirects === "refused" && statusCode >= 300 && statusCode < 400) {
        answer.destroy();
        reject(internalError(new Error(`${options.describe} answered with a redirect, which is not permitted`)));
        return;
      }
      // Others throw when they are written, some of them where nothing catches the error.
      if (statusCode < 200 || statusCode > 599) {
        answer.destroy();
        fail(new Error(`it answered with status ${statusCode}, where one from 200 to 599 is expected`));
        return;
      }
      relay(answer, response, request.method === "HEAD" ? undefined : options.links).then(resolve, reject);
    });
    // Without a listener the connection would end without a word, and the request would never.
    upstream.on("upgrade", (_, socket) => {
      socket.destroy();
      fail(new Error("it switched protocols without being asked to"));
    });
    upstream.on("error", fail);
    request.on("error", () => upstream.destroy());
    if (form === "none") upstream.end();
    else request.pipe(upstream);
  });
}

async function relay(answer: IncomingMessage, response: HttpResponse, links: LinkRewriter | undefined): Promise<void> {
  response.statusCode = answer.statusCode ?? 0;
  const { location } = answer.headers;
  const page = links !== undefined && location === undefined && isPage(answer) ? links : undefined;
  for (const [name, value] of Object.entries(answer.headers))
    if (value !== undefined && !NOT_RELAYED.has(name) && !(page && name === "content-length"))
      response.setHeader(name, value);
  if (links !== undefined && location !== undefined) response.setHeader("location", links(location));
  if (isGone(response)) {
    answer.destroy();
    return;
  }
  const stations = page === undefined ? [] : htmlLinks(page, answer.headers["content-encoding"]);
  try {
    await pipeline([answer, ...stations, response]);
  } catch (error) {
    // The client disconnected: not an error of the other server.
    if (isGone(response) && answer.errored === null) return;
    response.destroy();
    throw error;
  }
}

/** A host as it stands before a port. */
export const bracketed = (host: string): string => (host.includes(":") ? `[${host}]` : host);

/** A port number of a proxy path. @throws ApiError BadRequest */
export function portNumber(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65535)
    throw badRequest(`found port "${text}"; a port number between 1 and 65535 is expected`);
  return port;
}
