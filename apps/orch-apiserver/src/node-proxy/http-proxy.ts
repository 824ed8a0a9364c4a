import http, { type IncomingMessage, type OutgoingHttpHeaders } from "node:http";
import https from "node:https";
import { ApiError, badRequest, serviceUnavailable } from "@orchernetes/apimachinery";
import { type HttpRequest, type HttpResponse, isGone } from "@orchernetes/apiserver";
import { bodyForm, framed } from "./body-framing.ts";

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
  return headers;
}

/** Where a request goes. */
export interface ProxyTarget {
  readonly protocol: "http:" | "https:";
  readonly host: string;
  readonly port: number;
  /** Path with query. */
  readonly path: string;
  readonly agent?: https.Agent;
}

/** The whole request; resolves when the answer has been passed on. Errors before the answer starts are ApiErrors. */
export function proxyHttp(
  request: HttpRequest,
  response: HttpResponse,
  target: ProxyTarget,
  options: { readonly timeoutMs: number; readonly signal: AbortSignal; readonly describe: string },
): Promise<void> {
  return new Promise((resolve, reject) => {
    const client = target.protocol === "https:" ? https : http;
    const form = bodyForm(request);
    const headers = { ...framed(forwardableHeaders(request), form), host: `${bracketed(target.host)}:${target.port}` };
    const upstream = client.request({
      host: target.host,
      port: target.port,
      path: target.path,
      method: request.method ?? "GET",
      headers,
      signal: options.signal,
      ...(target.agent && { agent: target.agent }),
    });
    const deadline = setTimeout(
      () => upstream.destroy(new Error(`no answer within ${options.timeoutMs} ms`)),
      options.timeoutMs,
    );
    upstream.on("response", (answer) => {
      clearTimeout(deadline);
      relay(answer, response).then(resolve, reject);
    });
    upstream.on("error", (error) => {
      clearTimeout(deadline);
      if (response.headersSent) reject(error);
      else
        reject(new ApiError(serviceUnavailable(`error trying to reach ${options.describe}: ${error.message}`).status));
    });
    request.on("error", () => upstream.destroy());
    if (form === "none") upstream.end();
    else request.pipe(upstream);
  });
}

function relay(answer: IncomingMessage, response: HttpResponse): Promise<void> {
  return new Promise((resolve, reject) => {
    response.statusCode = answer.statusCode ?? 502;
    for (const [name, value] of Object.entries(answer.headers))
      if (value !== undefined && !NOT_FORWARDED.has(name)) response.setHeader(name, value);
    answer.pipe(response);
    answer.on("error", (error) => {
      response.destroy(error);
      reject(error);
    });
    const left = () => {
      answer.destroy();
      resolve();
    };
    response.on("close", left);
    if (isGone(response)) left();
    response.on("finish", resolve);
  });
}

const bracketed = (host: string): string => (host.includes(":") ? `[${host}]` : host);

/** A port number of a proxy path. @throws ApiError BadRequest */
export function portNumber(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65535)
    throw badRequest(`found port "${text}"; a port number between 1 and 65535 is expected`);
  return port;
}
