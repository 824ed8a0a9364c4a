import type { AuthRequest } from "../authenticators/authenticator.ts";
import { type FoundToken, webSocketToken } from "./web-socket-token.ts";

const none: FoundToken = { type: "none" };

/** Returns the bearer token of a request: from `Authorization`, or, for WebSockets that a browser opens, from a subprotocol. */
export function bearerToken(request: Pick<AuthRequest, "headers">): FoundToken {
  const { authorization, upgrade, "sec-websocket-protocol": protocols } = request.headers;
  const found = authorization === undefined ? none : fromHeader(authorization);
  if (found.type !== "none" || protocols === undefined || upgrade?.toLowerCase() !== "websocket") return found;
  return webSocketToken(protocols);
}

/** Words after the token are ignored; other schemes, and Bearer without a token, are treated as no header. */
function fromHeader(header: string): FoundToken {
  const [scheme = "", token, ...rest] = header.trim().split(" ");
  if (scheme.toLowerCase() !== "bearer" || token === undefined) return none;
  if (token !== "") return { type: "token", token };
  const warning = "the provided Authorization header contains extra space before the bearer token, and is ignored";
  return rest.length === 0 ? none : { type: "none", warnings: [warning] };
}
