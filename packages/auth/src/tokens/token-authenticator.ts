import type { Connection } from "@orchernetes/kernel";
import type { AuthenticatedResult, RejectedResult } from "../authenticators/authenticator.ts";

/** Result of checking a token. `audiences`: those of the token that the caller accepts. */
export type TokenResult = AuthenticatedResult | RejectedResult | { readonly type: "noOpinion" };

/** Checks bearer tokens of one kind, for requests and for TokenReviews. */
export interface TokenAuthenticator {
  /**
   * Checks a token.
   *
   * @param audiences those that the caller accepts; a check by another server with none leaves the choice to that server
   * @param connection the one that the token came on; undefined for TokenReviews
   */
  authenticateToken(
    token: string,
    audiences: readonly string[],
    connection?: Connection,
  ): TokenResult | Promise<TokenResult>;
}

/**
 * Asks each kind of token check in order. The first identity wins; a rejection counts only if no later check accepts, so
 * that several issuers can live side by side.
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
