import { type Clock, connectionOf, messageOf } from "@orchernetes/kernel";
import type { Authenticator, AuthRequest, AuthResult } from "../authenticators/authenticator.ts";
import { sharedAudiences } from "./audiences.ts";
import { bearerToken } from "./bearer-token.ts";
import { isSameSecret } from "./secrets.ts";
import type { TokenAuthenticator, TokenResult } from "./token-authenticator.ts";

/** What the last token of a connection proved, and until when it is not checked again. */
interface Proven {
  readonly header: Buffer;
  readonly result: AuthResult;
  readonly untilMs: number;
}

/** Options of {@link bearerTokenAuthenticator}. */
export interface BearerTokenOptions {
  /** Accepted audiences; empty: not limited here. */
  readonly audiences: readonly string[];
  /** How long a connection that repeats its token is not checked again, in milliseconds; 0: it is always checked. */
  readonly believeMs: number;
  readonly clock: Pick<Clock, "monotonicMs">;
}

/**
 * Authenticates requests by their bearer token; a token that no check accepts is rejected, never anonymous.
 *
 * A connection that sends the same token again within `believeMs` is believed without computing a digest or verifying a signature for
 * each of its requests. Only successes are remembered, and only for the connection that sent the token.
 */
export function bearerTokenAuthenticator(
  tokens: TokenAuthenticator,
  { audiences, believeMs, clock }: BearerTokenOptions,
): Authenticator {
  const proven = new WeakMap<object, Proven>();
  const settle = (request: AuthRequest, found: TokenResult, token: string): AuthResult => {
    const result = acceptable(found, audiences);
    if (result.type === "rejected") return rejected(result.reason, token);
    const { authorization: header } = request.headers;
    if (result.type === "authenticated" && header !== undefined && believeMs > 0 && hasToken(header))
      proven.set(connectionOf(request), {
        header: Buffer.from(header),
        result,
        untilMs: clock.monotonicMs() + believeMs,
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

/** Reasons are logged, and may quote what a service has answered, which may be what it was sent. */
const rejected = (reason: string, token: string): AuthResult => ({
  type: "rejected",
  reason: reason.replaceAll(token, "<token>"),
});

/** Whether a header is what proved the identity: beside one of another scheme, the token stands in a WebSocket subprotocol. */
const hasToken = (authorization: string): boolean => bearerToken({ headers: { authorization } }).type === "token";

/** A known token may still be for others: what a check says about audiences counts, whoever made it. */
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
