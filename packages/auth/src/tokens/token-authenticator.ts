import { createHash, timingSafeEqual } from "node:crypto";
import type { AuthenticatedResult, Authenticator, AuthResult } from "@orchernetes/apiserver";
import { type Connection, connectionOf, type HttpRequest } from "@orchernetes/kernel";
import { bearerToken } from "./bearer-token.ts";

/** What one kind of token check found. `audiences`: those shared by token and server. */
export type TokenResult =
  | AuthenticatedResult
  | { readonly type: "noOpinion" }
  | { readonly type: "rejected"; readonly reason: string };

/** Checks bearer tokens of one kind, for requests and for TokenReviews. */
export interface TokenAuthenticator {
  /**
   * `audiences` are those that the caller accepts; `connection` is the one that the token came on, undefined for TokenReviews.
   */
  authenticateToken(
    token: string,
    audiences: readonly string[],
    connection?: Connection,
  ): TokenResult | Promise<TokenResult>;
}

/** The digest under which tokens are remembered and compared, so that no comparison depends on the secret's prefix. */
export function tokenDigest(token: string): string {
  return createHash("sha256").update(token).digest("base64");
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

/**
 * Wraps an authenticator without audiences: its tokens are valid for the audiences of this server only.
 *
 * @param own audiences of this server
 */
export function forAudiences(inner: TokenAuthenticator, own: readonly string[]): TokenAuthenticator {
  return {
    authenticateToken(token, asked, connection) {
      const audiences = own.filter((audience) => asked.includes(audience));
      if (audiences.length === 0) return { type: "noOpinion" };
      const settle = (result: TokenResult): TokenResult =>
        result.type === "authenticated" ? { ...result, audiences } : result;
      const result = inner.authenticateToken(token, asked, connection);
      return result instanceof Promise ? result.then(settle) : settle(result);
    },
  };
}

/** Remembers identities for a short time, as upstream does for 10 seconds, so that a busy client is verified once. */
export function cachedTokenAuthenticator(
  inner: TokenAuthenticator,
  options: { readonly ttlMs: number; readonly maxEntries: number; readonly now: () => number },
): TokenAuthenticator {
  const cache = new Map<string, { readonly result: TokenResult; readonly until: number }>();
  return {
    authenticateToken(token, audiences) {
      const key = `${JSON.stringify(audiences)}|${tokenDigest(token)}`;
      const now = options.now();
      const hit = cache.get(key);
      if (hit !== undefined && hit.until > now) return hit.result;
      return (async () => {
        const result = await inner.authenticateToken(token, audiences);
        cache.delete(key);
        if (result.type === "authenticated") {
          if (cache.size >= options.maxEntries) cache.delete(cache.keys().next().value ?? key);
          cache.set(key, { result, until: now + options.ttlMs });
        }
        return result;
      })();
    },
  };
}

/** What a connection's last token proved, and until when that is believed without another look. */
interface Proven {
  readonly header: Buffer;
  readonly result: AuthResult;
  readonly untilMs: number;
}

/**
 * Authenticates requests by their bearer token; a token that no check accepts is refused, never anonymous.
 *
 * A connection that says the same again within `believeMs` is believed: neither digest nor signature is made for each of its
 * requests. Only what proved right is remembered, and only for the connection that said it.
 */
export function bearerTokenAuthenticator(
  tokens: TokenAuthenticator,
  audiences: readonly string[],
  { believeMs, now }: { readonly believeMs: number; readonly now: () => number },
): Authenticator {
  const proven = new WeakMap<object, Proven>();
  const settle = (request: HttpRequest, result: TokenResult): AuthResult => {
    if (result.type === "noOpinion") return { type: "rejected", reason: "no authenticator knows the bearer token" };
    const { authorization: header } = request.headers;
    const connection = connectionOf(request);
    if (result.type === "authenticated" && header !== undefined)
      proven.set(connection, { header: Buffer.from(header), result, untilMs: now() + believeMs });
    return result;
  };
  return {
    authenticate(request) {
      const connection = connectionOf(request);
      const last = proven.get(connection);
      if (last !== undefined && now() < last.untilMs && isSameSecret(last.header, request.headers.authorization))
        return last.result;
      const found = bearerToken(request);
      if (found.type === "malformed") return { type: "rejected", reason: found.reason };
      if (found.type === "none") return { ...found, type: "noOpinion" };
      const result = tokens.authenticateToken(found.token, audiences, connection);
      return result instanceof Promise ? result.then((late) => settle(request, late)) : settle(request, result);
    },
  };
}

/** Compares in constant time for texts of equal length. */
function isSameSecret(known: Buffer, given: string | undefined): boolean {
  if (given === undefined) return false;
  const bytes = Buffer.from(given);
  return bytes.length === known.length && timingSafeEqual(bytes, known);
}
