import type { Clock } from "@orchernetes/kernel";
import { ExpiringCache } from "../expiring-cache.ts";
import { tokenDigest } from "./secrets.ts";
import type { TokenAuthenticator, TokenResult } from "./token-authenticator.ts";

/** Counts the look-ups of a cache of tokens. */
export interface TokenCacheCounts {
  /** A look-up found a result, or had to wait for a check; it took this long. */
  lookedUp(status: "hit" | "miss", seconds: number): void;
  /** A token was checked; `error`: the check rejected it, or failed. */
  fetched(status: "ok" | "error"): void;
  /** The number of checks that run, or of look-ups that wait for one, has changed. */
  active(status: "in_flight" | "blocked", change: 1 | -1): void;
}

/** Options of {@link cachedTokenAuthenticator}. */
export interface TokenCacheOptions {
  /** How long an identity is kept, in milliseconds, from the beginning of its check; a revoked token works that much longer. */
  readonly ttlMs: number;
  /** How long it is kept that nobody knows a token; rejections (which have a reason that may pass) are never kept. @default 0 */
  readonly unknownTtlMs?: number;
  /** Maximum number of results; the least recently used one makes room. */
  readonly maxEntries: number;
  readonly clock: Pick<Clock, "monotonicMs">;
  /** @default nothing is counted */
  readonly counts?: TokenCacheCounts | undefined;
}

/**
 * Caches results for a short time, so that the token of a busy client is checked once; concurrent requests share a check. The same
 * token is checked separately for other audiences.
 */
export function cachedTokenAuthenticator(inner: TokenAuthenticator, options: TokenCacheOptions): TokenAuthenticator {
  const { ttlMs, unknownTtlMs = 0, maxEntries, clock, counts } = options;
  const lasting = { authenticated: ttlMs, noOpinion: unknownTtlMs, rejected: 0 } as const;
  const cache = new ExpiringCache<TokenResult>({ limit: maxEntries, ttlMs: ({ type }) => lasting[type], clock });
  const fetch = counts === undefined ? inner : countedChecks(inner, counts);
  const lookUp = (token: string, audiences: readonly string[]) =>
    cache.get(tokenDigest(token, audiences), () => fetch.authenticateToken(token, audiences));
  return { authenticateToken: counts === undefined ? lookUp : countedLookUps(lookUp, counts, clock) };
}

function countedChecks(inner: TokenAuthenticator, counts: TokenCacheCounts): TokenAuthenticator {
  return {
    async authenticateToken(token, audiences) {
      counts.active("in_flight", 1);
      let status: "ok" | "error" = "error";
      try {
        const result = await inner.authenticateToken(token, audiences);
        if (result.type !== "rejected") status = "ok";
        return result;
      } finally {
        counts.fetched(status);
        counts.active("in_flight", -1);
      }
    },
  };
}

type LookUp = (token: string, audiences: readonly string[]) => TokenResult | Promise<TokenResult>;

function countedLookUps(lookUp: LookUp, counts: TokenCacheCounts, clock: Pick<Clock, "monotonicMs">): LookUp {
  const waiting = async (check: Promise<TokenResult>, startMs: number): Promise<TokenResult> => {
    counts.active("blocked", 1);
    try {
      return await check;
    } finally {
      counts.active("blocked", -1);
      counts.lookedUp("miss", (clock.monotonicMs() - startMs) / 1000);
    }
  };
  return (token, audiences) => {
    const startMs = clock.monotonicMs();
    const found = lookUp(token, audiences);
    if (found instanceof Promise) return waiting(found, startMs);
    counts.lookedUp("hit", (clock.monotonicMs() - startMs) / 1000);
    return found;
  };
}
