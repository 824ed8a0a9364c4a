import { type Clock, connectionOf, messageOf } from "@orchernetes/kernel";
import type { Authenticator, AuthRequest, AuthResult } from "../authenticators/authenticator.ts";
import { sharedAudiences } from "./audiences.ts";
import { bearerToken } from "./bearer-token.ts";
import { isSameSecret } from "./secrets.ts";
import type { TokenAuthenticator, TokenResult } from "./token-authenticator.ts";

/** The result for the last token of a connection, and until when it is used again. */
interface Proven {
  readonly header: Buffer;
  readonly result: AuthResult;
  readonly untilMs: number;
}

/** Options of {@link bearerTokenAuthenticator}. */
export interface BearerTokenOptions {
  /** Accepted audiences; if there are none, every audience is accepted. */
  readonly audiences: readonly string[];
  /** Time in milliseconds for which a connection that repeats its token is not authenticated again; 0: each request is. */
  readonly recheckAfterMs: number;
  readonly clock: Pick<Clock, "monotonicMs">;
}

/**
 * Authenticates requests by their bearer token. A request whose token is not accepted is rejected; it never becomes anonymous.
 *
 * If a connection sends the same token again within `recheckAfterMs`, the result is used again, so that most requests of a busy client need
 * neither a digest nor the verification of a signature. Only successes are remembered, and only for the connection that sent the token.
 */
export function bearerTokenAuthenticator(
  tokens: TokenAuthenticator,
  { audiences, recheckAfterMs, clock }: BearerTokenOptions,
): Authenticator {
  const proven = new WeakMap<object, Proven>();
  const settle = (request: AuthRequest, found: TokenResult, token: string): AuthResult => {
    const result = acceptable(found, audiences);
    if (result.type === "rejected") return rejected(result.reason, token);
    const { authorization: header } = request.headers;
    if (result.type === "authenticated" && header !== undefined && recheckAfterMs > 0 && hasToken(header))
      proven.set(connectionOf(request), {
        header: Buffer.from(header),
        result,
        untilMs: clock.monotonicMs() + recheckAfterMs,
      });
    return result;
  };
  return {
    authenticate(request) {
      const connection = connectionOf(request);
      const { authorization: header } = request.headers;
      const last = proven.get(connection);
      if (
        last !== undefined &&
        header !== undefined &&
        clock.monotonicMs() < last.untilMs &&
        isSameSecret(last.header, Buffer.from(header))
      )
        return last.result;
      const found = bearerToken(request);
      if (found.type === "malformed") return { type: "rejected", reason: found.reason };
      if (found.type === "none") return { ...found, type: "noOpinion" };
      const { token } = found;
      const result = tokens.authenticateToken(token, audiences, connection);
      return result instanceof Promise
        ? result.then(
            (late) => settle(request, late, token),
            (error: unknown) => rejected(messageOf(error), token),
          )
        : settle(request, result, token);
    },
  };
}

/** Reasons are logged. They may quote the response of a service, which may contain the token that it was sent. */
const rejected = (reason: string, token: string): AuthResult => ({
  type: "rejected",
  reason: reason.replaceAll(token, "<token>"),
});

/** Whether the token was in this header. If the header has another scheme, the token may have been in a WebSocket subprotocol. */
const hasToken = (authorization: string): boolean => bearerToken({ headers: { authorization } }).type === "token";

/** Rejects a valid token that was issued for other audiences. */
function acceptable(result: TokenResult, accepted: readonly string[]): AuthResult {
  if (result.type === "noOpinion") return { type: "rejected", reason: "no authenticator knows the bearer token" };
  if (result.type === "rejected") return result;
  const { audiences = [] } = result;
  if (accepted.length === 0 || audiences.length === 0 || sharedAudiences(audiences, accepted).length > 0) return result;
  return {
    type: "rejected",
    reason: `unable to match the audience: ${JSON.stringify(audiences)}, accepted: ${JSON.stringify(accepted)}`,
  };
}
