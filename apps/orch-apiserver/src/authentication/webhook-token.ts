import {
  cachedTokenAuthenticator,
  type TokenAuthenticator,
  type TokenCacheCounts,
  tokenReviewAuthenticator,
} from "@orchernetes/auth";
import type { Clock } from "@orchernetes/kernel";
import { createReviewClient, type ReviewEndpoint, reviewRetry } from "../webhook/review-client.ts";

/** Time for a review with its retries, as upstream. */
const TIMEOUT_MS = 30_000;
const MAX_ENTRIES = 10_000;

/** Options of {@link webhookTokenAuthenticator}. */
export interface WebhookTokenOptions {
  readonly endpoint: ReviewEndpoint;
  /** Version of the TokenReview that is sent and expected: `--authentication-token-webhook-version`. */
  readonly version: "v1" | "v1beta1";
  /** How long answers are kept, in milliseconds, also that a token is unknown; errors are not kept. */
  readonly cacheTtlMs: number;
  /** Audiences that the webhook vouches for if it names none. */
  readonly audiences: readonly string[];
  readonly counts?: TokenCacheCounts;
  /** Called after each request to the webhook: the HTTP status, or 0 without an answer, and the time it took. */
  readonly onAttempt?: (status: number, elapsedMs: number) => void;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Asks a webhook whose a token is. Requests with the same token share one review. A webhook that is dead or slow holds only requests
 * with tokens that nobody else knows.
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
    // The webhook's address is the whole of it, and its time includes the retries.
    review: async (_path, review) => checked(await client.post("", review), version),
    version,
    impliedAudiences: audiences,
  });
  const lasting = { ttlMs: cacheTtlMs, unknownTtlMs: cacheTtlMs, maxEntries: MAX_ENTRIES, clock, counts };
  return cachedTokenAuthenticator(reviewer, lasting);
}

/** An answer of another kind or version may mean something else by the same fields. */
function checked(answer: unknown, version: string): unknown {
  const { kind, apiVersion } = Object(answer);
  const want = `authentication.o8s.io/${version}`;
  if (kind === "TokenReview" && apiVersion === want) return answer;
  throw new Error(
    `the token webhook answered with kind ${JSON.stringify(kind)}, apiVersion ${JSON.stringify(apiVersion)}; want TokenReview, ${want}`,
  );
}
