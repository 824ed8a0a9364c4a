import type { Clock } from "@orchernetes/kernel";
import { ExpiringCache } from "../expiring-cache.ts";
import { tokenDigest } from "./secrets.ts";
import type { TokenAuthenticator, TokenResult } from "./token-authenticator.ts";

/** Counts the look-ups of a cache of tokens. */
export interface TokenCacheCounts {
  /** A look-up found a result (`hit`), or waited for a check (`miss`); it took this long. */
  lookedUp(status: "hit" | "miss", seconds: number): void;
  /** A token was checked. `error` means that the check rejected it or failed. */
  fetched(status: "ok" | "error"): void;
  /** The number of running checks (`in_flight`), or of look-ups that wait for one (`blocked`), has changed. */
  active(status: "in_flight" | "blocked", change: 1 | -1): void;
}

/** Options of {@link cachedTokenAuthenticator}. */
export interface TokenCacheOptions {
  /** Time in milliseconds for which an identity is cached, from the start of its check. A revoked token remains valid for that time. */
  readonly ttlMs: number;
  /** Time in milliseconds for which it is cached that a token is unknown. Rejections are never cached: their reason may pass. @default 0 */
  readonly unknownTtlMs?: number;
  /** Maximum number of results; beyond it the least recently used one is removed. */
  readonly maxEntries: number;
  readonly clock: Pick<Clock, "monotonicMs">;
  /** @default nothing is counted */
  readonly counts?: TokenCacheCounts | undefined;
}

/**
 * Caches results for a short time, so that the token of a busy client is not checked for each request. Concurrent requests share a check.
 * The same token is checked separately for other audiences.
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
