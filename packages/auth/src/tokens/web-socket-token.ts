const BEARER_PREFIX = "base64url.bearer.authorization.o8s.io.";
/** A token under the stock prefix does not authenticate, but it must not be forwarded either. */
const ALL_PREFIXES = [BEARER_PREFIX, "base64url.bearer.authorization.k8s.io."] as const;

const BASE64URL = /^[A-Za-z0-9_-]*$/;
const utf8 = new TextDecoder("utf-8", { fatal: true });

/** The bearer token of a request. */
export type FoundToken =
  | { readonly type: "none"; readonly warnings?: readonly string[] }
  | { readonly type: "token"; readonly token: string }
  | { readonly type: "malformed"; readonly reason: string };

const malformed = (reason: string): FoundToken => ({ type: "malformed", reason });

const protocolsOf = (header: string): readonly string[] => header.split(",").map((protocol) => protocol.trim());

/**
 * Returns the token in a `Sec-WebSocket-Protocol` header. Browsers send it there because they cannot set other headers of a WebSocket. It is
 * in a subprotocol named `base64url.bearer.authorization.o8s.io.<token>`, beside at least one that the server can choose.
 */
export function webSocketToken(header: string): FoundToken {
  const protocols = protocolsOf(header);
  const encoded = protocols.filter((protocol) => protocol.startsWith(BEARER_PREFIX));
  const [only] = encoded;
  if (only === undefined) return { type: "none" };
  if (encoded.length > 1) return malformed("multiple WebSocket bearer tokens");
  const text = only.slice(BEARER_PREFIX.length);
  if (text === "") return { type: "none" };
  if (!BASE64URL.test(text) || text.length % 4 === 1) return malformed("the WebSocket bearer token is not base64url");
  if (protocols.length === 1) return malformed("the WebSocket bearer token has no other subprotocol beside it");
  try {
    return { type: "token", token: utf8.decode(Buffer.from(text, "base64url")) };
  } catch {
    return malformed("the WebSocket bearer token is not UTF-8");
  }
}

/**
 * Removes the token from a `Sec-WebSocket-Protocol` header, so that the rest can be forwarded to another server. Returns undefined if there
 * is no such header, and an empty text if it contains only the token.
 */
export function withoutBearerProtocol(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  return protocolsOf(header)
    .filter((protocol) => !ALL_PREFIXES.some((prefix) => protocol.toLowerCase().startsWith(prefix)))
    .join(",");
}
