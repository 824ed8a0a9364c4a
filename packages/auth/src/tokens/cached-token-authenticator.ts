import type { Clock } from "@orchernetes/kernel";
import { ExpiringCache } from "../expiring-cache.ts";
import { tokenDigest } from "./secrets.ts";
import type { TokenAuthenticator, TokenResult } from "./token-authenticator.ts";

/** Options of {@link cachedTokenAuthenticator}. */
export interface TokenCacheOptions {
  /** How long an identity is kept, in milliseconds, from the beginning of its check; a revoked token works that much longer. */
  readonly ttlMs: number;
  /** How long it is kept that nobody knows a token; rejections (which have a reason that may pass) are never kept. @default 0 */
  readonly unknownTtlMs?: number;
  /** Maximum number of results; the least recently used one makes room. */
  readonly maxEntries: number;
  readonly clock: Pick<Clock, "monotonicMs">;
}

/**
 * Caches results for a short time, so that the token of a busy client is checked once; concurrent requests share a check. The same
 * token is checked separately for other audiences.
 */
export function cachedTokenAuthenticator(inner: TokenAuthenticator, options: TokenCacheOptions): TokenAuthenticator {
  const { ttlMs, unknownTtlMs = 0, maxEntries, clock } = options;
  const lasting = { authenticated: ttlMs, noOpinion: unknownTtlMs, rejected: 0 } as const;
  const cache = new ExpiringCache<TokenResult>({ limit: maxEntries, ttlMs: ({ type }) => lasting[type], clock });
  return {
    authenticateToken: (token, audiences) =>
      cache.get(tokenDigest(token, audiences), () => inner.authenticateToken(token, audiences)),
  };
}
