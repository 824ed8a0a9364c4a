import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";

/** A request over HTTP/1.1 or HTTP/2. */
export type HttpRequest = IncomingMessage | Http2ServerRequest;

/** A response over HTTP/1.1 or HTTP/2. */
export type HttpResponse = ServerResponse | Http2ServerResponse;

/** Answers one request. What it throws is logged and answered with a 500 by the server. */
export type HttpHandler = (request: HttpRequest, response: HttpResponse) => void | Promise<void>;

/** Whether a response is one over HTTP/2. */
export const isHttp2 = (message: HttpRequest): message is Http2ServerRequest => message.httpVersionMajor === 2;

/** Whether the connection or stream of a response is closed, so that no `close` event will come any more. */
export const isGone = (response: HttpResponse): boolean =>
  // Responses over HTTP/2 are not destroyed, their streams are.
  "stream" in response ? response.stream.destroyed : response.destroyed;

/** Writes a whole response; a body is left out for HEAD. */
export function respond(
  request: HttpRequest,
  response: HttpResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string | Uint8Array,
): void {
  if (response.headersSent || isGone(response)) return;
  // The two protocols declare writeHead and end apart; what is used here is common to both.
  const common = response as ServerResponse;
  common.writeHead(status, { ...headers, "content-length": String(Buffer.byteLength(body)) });
  common.end(request.method === "HEAD" ? undefined : body);
}

/** The path and query of a request target; an absolute target is reduced to its path. */
export function targetOf(request: HttpRequest): { readonly path: string; readonly query: URLSearchParams } {
  const target = request.url ?? "/";
  const origin = target.startsWith("/") ? target : target.replace(/^[a-z]+:\/\/[^/?]*/i, "") || "/";
  const at = origin.indexOf("?");
  return at === -1
    ? { path: origin, query: new URLSearchParams() }
    : { path: origin.slice(0, at), query: new URLSearchParams(origin.slice(at + 1)) };
}
