/** How a browser, which cannot set headers of a WebSocket, sends a bearer token: in a subprotocol, in either spelling. */
const BEARER_PREFIXES = ["base64url.bearer.authorization.o8s.io.", "base64url.bearer.authorization.k8s.io."] as const;

/**
 * The value of `Sec-WebSocket-Protocol` as another server may see it: without the token. Undefined when there is no such header,
 * empty when nothing else was in it.
 */
export function withoutBearerProtocol(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  return header
    .split(",")
    .map((protocol) => protocol.trim())
    .filter((protocol) => !BEARER_PREFIXES.some((prefix) => protocol.toLowerCase().startsWith(prefix)))
    .join(",");
}
