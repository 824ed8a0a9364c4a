/** The subprotocol in which browsers, which cannot set headers of a WebSocket, send a bearer token; in both spellings. */
const BEARER_PREFIXES = ["base64url.bearer.authorization.o8s.io.", "base64url.bearer.authorization.k8s.io."] as const;

/**
 * The value of `Sec-WebSocket-Protocol` without the token, for forwarding to another server. Undefined without such a header, empty
 * if it held only the token.
 */
export function withoutBearerProtocol(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  return header
    .split(",")
    .map((protocol) => protocol.trim())
    .filter((protocol) => !BEARER_PREFIXES.some((prefix) => protocol.toLowerCase().startsWith(prefix)))
    .join(",");
}
