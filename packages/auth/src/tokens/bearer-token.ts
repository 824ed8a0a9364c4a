import type { HttpRequest } from "@orchernetes/kernel";

const WEBSOCKET_PREFIX = "base64url.bearer.authorization.o8s.io.";
const BASE64URL = /^[A-Za-z0-9_-]*$/;
const utf8 = new TextDecoder("utf-8", { fatal: true });

/** The bearer token of a request. */
export type FoundToken =
  | { readonly type: "none"; readonly warnings?: readonly string[] }
  | { readonly type: "token"; readonly token: string }
  | { readonly type: "malformed"; readonly reason: string };

const none: FoundToken = { type: "none" };

/**
 * The bearer token of a request: from `Authorization`, or, for WebSockets opened by a browser, from a subprotocol named
 * `base64url.bearer.authorization.o8s.io.<token>` beside at least one that the server can choose.
 */
export function bearerToken(request: Pick<HttpRequest, "headers">): FoundToken {
  const { authorization, upgrade, "sec-websocket-protocol": protocols } = request.headers;
  const found = authorization === undefined ? none : fromHeader(authorization);
  if (found.type !== "none" || protocols === undefined || upgrade?.toLowerCase() !== "websocket") return found;
  return fromProtocols(protocols);
}

/** Words after the token are ignored; other schemes, and Bearer without a token, are treated as no header. */
function fromHeader(header: string): FoundToken {
  const [scheme = "", token, ...rest] = header.trim().split(" ");
  if (scheme.toLowerCase() !== "bearer" || token === undefined) return none;
  if (token !== "") return { type: "token", token };
  const warning = "the provided Authorization header contains extra space before the bearer token, and is ignored";
  return rest.length === 0 ? none : { type: "none", warnings: [warning] };
}

function fromProtocols(header: string): FoundToken {
  const protocols = header.split(",").map((protocol) => protocol.trim());
  const encoded = protocols.filter((protocol) => protocol.startsWith(WEBSOCKET_PREFIX));
  const [only] = encoded;
  if (only === undefined) return none;
  if (encoded.length > 1) return { type: "malformed", reason: "multiple WebSocket bearer tokens" };
  const text = only.slice(WEBSOCKET_PREFIX.length);
  if (text === "") return none;
  if (!BASE64URL.test(text)) return { type: "malformed", reason: "the WebSocket bearer token is not base64url" };
  if (protocols.length === 1)
    return { type: "malformed", reason: "the WebSocket bearer token has no other subprotocol beside it" };
  try {
    return { type: "token", token: utf8.decode(Buffer.from(text, "base64url")) };
  } catch {
    return { type: "malformed", reason: "the WebSocket bearer token is not UTF-8" };
  }
}
