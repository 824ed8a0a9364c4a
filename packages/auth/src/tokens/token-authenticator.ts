import type { Connection } from "@orchernetes/kernel";
import type { AuthenticatedResult, RejectedResult } from "../authenticators/authenticator.ts";

/** Result of checking a token; `audiences` are those of the token that the caller accepts. */
export type TokenResult = AuthenticatedResult | RejectedResult | { readonly type: "noOpinion" };

/** Checks bearer tokens of one kind, for requests and for TokenReviews. */
export interface TokenAuthenticator {
  /**
   * Checks a token.
   *
   * @param audiences those that the caller accepts; if there are none and another server checks the token, that server chooses
   * @param connection the connection that sent the token; undefined for TokenReviews
   */
  authenticateToken(
    token: string,
    audiences: readonly string[],
    connection?: Connection,
  ): TokenResult | Promise<TokenResult>;
}

/**
 * Asks authenticators in order; the first that accepts the token decides. A rejection counts only if no later one accepts the token, so
 * that there can be several issuers.
 */
export function unionTokenAuthenticator(members: readonly TokenAuthenticator[]): TokenAuthenticator {
  return {
    async authenticateToken(token, audiences, connection) {
      let rejection: TokenResult | undefined;
      for (const member of members) {
        const result = await member.authenticateToken(token, audiences, connection);
        if (result.type === "authenticated") return result;
        if (result.type === "rejected") rejection ??= result;
      }
      return rejection ?? { type: "noOpinion" };
    },
  };
}
