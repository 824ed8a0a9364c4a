import { type HttpRequest, type HttpResponse, isGone } from "@orchernetes/kernel";

/** Writes a complete response; without the body for HEAD. */
export function respond(
  request: HttpRequest,
  response: HttpResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string | Uint8Array,
): void {
  if (response.headersSent || isGone(response)) return;
  response.writeHead(status, { ...headers, "content-length": String(Buffer.byteLength(body)) });
  response.end(request.method === "HEAD" ? undefined : body);
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
