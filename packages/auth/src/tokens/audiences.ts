import type { TokenAuthenticator, TokenResult } from "./token-authenticator.ts";

/** The audiences that two lists share, in the order of the first. */
export const sharedAudiences = (some: readonly string[], others: readonly string[]): readonly string[] =>
  some.filter((audience) => others.includes(audience));

/**
 * Wraps an authenticator that knows no audiences: its tokens are valid only for the audiences of this server.
 *
 * @param own audiences of this server
 */
export function forAudiences(inner: TokenAuthenticator, own: readonly string[]): TokenAuthenticator {
  return {
    authenticateToken(token, asked, connection) {
      const audiences = sharedAudiences(own, asked);
      if (audiences.length === 0) return { type: "noOpinion" };
      const settle = (result: TokenResult): TokenResult =>
        result.type === "authenticated" ? { ...result, audiences } : result;
      const result = inner.authenticateToken(token, asked, connection);
      return result instanceof Promise ? result.then(settle) : settle(result);
    },
  };
}
