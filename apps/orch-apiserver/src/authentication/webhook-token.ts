import {
  cachedTokenAuthenticator,
  type TokenAuthenticator,
  type TokenCacheCounts,
  tokenReviewAuthenticator,
} from "@orchernetes/auth";
import type { Clock } from "@orchernetes/kernel";
import { createReviewClient, type ReviewEndpoint, reviewRetry } from "../webhook/review-client.ts";

/** Time limit of a review with its retries, in milliseconds, as upstream. */
const TIMEOUT_MS = 30_000;
/** Maximum number of cached results. */
const MAX_ENTRIES = 10_000;

/** Options of {@link webhookTokenAuthenticator}. */
export interface WebhookTokenOptions {
  readonly endpoint: ReviewEndpoint;
  /** Version of the TokenReview that is sent and expected: `--authentication-token-webhook-version`. */
  readonly version: "v1" | "v1beta1";
  /** Time in milliseconds for which results are cached, including that a token is unknown. Errors are not cached. */
  readonly cacheTtlMs: number;
  /** Audiences of tokens if the response of the webhook names none. */
  readonly audiences: readonly string[];
  readonly counts?: TokenCacheCounts;
  /** Called after each request to the webhook with the HTTP status (0 without a response) and the time that it took. */
  readonly onAttempt?: (status: number, elapsedMs: number) => void;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Asks a webhook for the user of a token (`--authentication-token-webhook-config-file`). Concurrent requests with the same token share one
 * review. The webhook is asked last, so that one that is down or slow delays only requests with tokens that no other authenticator knows.
 */
export function webhookTokenAuthenticator(options: WebhookTokenOptions): TokenAuthenticator {
  const { endpoint, version, cacheTtlMs, audiences, counts, onAttempt, clock, signal } = options;
  const client = createReviewClient({
    ...endpoint,
    timeoutMs: TIMEOUT_MS,
    retry: reviewRetry,
    ...(onAttempt !== undefined && { onAttempt }),
    clock,
    signal,
  });
  const reviewer = tokenReviewAuthenticator({
    // Reviews are posted to the endpoint itself, without the path of the API, and the client limits the time with its retries.
    review: async (_path, review) => checked(await client.post("", review), version),
    version,
    impliedAudiences: audiences,
  });
  const lasting = { ttlMs: cacheTtlMs, unknownTtlMs: cacheTtlMs, maxEntries: MAX_ENTRIES, clock, counts };
  return cachedTokenAuthenticator(reviewer, lasting);
}

/** Rejects a response of another kind or version, in which the same fields may have another meaning. */
function checked(answer: unknown, version: string): unknown {
  const { kind, apiVersion } = Object(answer);
  const want = `authentication.o8s.io/${version}`;
  if (kind === "TokenReview" && apiVersion === want) return answer;
  throw new Error(
    `the token webhook responded with kind ${JSON.stringify(kind)}, apiVersion ${JSON.stringify(apiVersion)}; want TokenReview, ${want}`,
  );
}
