import type { HttpRequest } from "@orchernetes/apiserver";

const SCHEME = /^bearer +([^\s]+)\s*$/i;
const WEBSOCKET_PREFIX = "base64url.bearer.authorization.o8s.io.";

/**
 * The bearer token of a request: from `Authorization`, or, for WebSockets opened by a browser, from a subprotocol named
 * `base64url.bearer.authorization.o8s.io.<token>`.
 */
export function bearerToken(request: Pick<HttpRequest, "headers">): string | undefined {
  const header = request.headers.authorization;
  if (header !== undefined) return SCHEME.exec(header)?.[1];
  const protocols = request.headers["sec-websocket-protocol"];
  if (protocols === undefined) return undefined;
  const encoded = protocols
    .split(",")
    .map((p) => p.trim())
    .find((p) => p.startsWith(WEBSOCKET_PREFIX));
  if (encoded === undefined) return undefined;
  const token = Buffer.from(encoded.slice(WEBSOCKET_PREFIX.length), "base64url").toString("utf8");
  return token === "" ? undefined : token;
}
