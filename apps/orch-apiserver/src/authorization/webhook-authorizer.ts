import { type AccessReviewOptions, type Authorizer, accessReviewAuthorizer } from "@orchernetes/auth";
import type { Metrics } from "@orchernetes/component";
import type { Clock } from "@orchernetes/kernel";
import { webhookAuthorizationMetrics } from "../metrics/authorization-metrics.ts";
import { delegatedMetrics } from "../metrics/delegated-metrics.ts";
import { deprecatedCertificates } from "../metrics/deprecated-certificates.ts";
import { createReviewClient, type ReviewEndpoint, reviewRetry } from "../webhook/review-client.ts";

/** Time for a review with all its attempts, in milliseconds. */
const TIMEOUT_MS = 30_000;

/** Settings of mode Webhook: the flags `--authorization-webhook-*`. */
export interface WebhookAuthorization extends Pick<AccessReviewOptions, "allowTtlMs" | "denyTtlMs"> {
  readonly service: ReviewEndpoint;
  /** `--authorization-webhook-version`: version of the SubjectAccessReviews. */
  readonly version: "v1" | "v1beta1";
}

/** Dependencies of authorizers. */
export interface AuthorizerParts {
  readonly metrics: Metrics;
  readonly clock: Clock;
  /** Closes connections to the webhook. */
  readonly signal: AbortSignal;
}

/**
 * Mode Webhook: posts a SubjectAccessReview to a service and caches the decision. If the service cannot be reached, or responds with
 * anything but a review, it has no opinion: the next authorizer is asked, and if there is none, the request fails with 500.
 */
export function webhookAuthorizer(
  { service, version, allowTtlMs, denyTtlMs }: WebhookAuthorization,
  { metrics, clock, signal }: AuthorizerParts,
): Authorizer {
  const onAttempt = delegatedMetrics(metrics, "authz");
  const client = createReviewClient({
    ...service,
    timeoutMs: TIMEOUT_MS,
    retry: reviewRetry,
    onAttempt,
    onDeprecated: deprecatedCertificates(metrics, "webhooks"),
    clock,
    signal,
  });
  const observe = webhookAuthorizationMetrics(metrics);
  return accessReviewAuthorizer({
    review: async (_path, review, signal) => {
      const startMs = clock.monotonicMs();
      const done = (error?: unknown) => observe((clock.monotonicMs() - startMs) / 1000, error);
      try {
        const answer = await client.post("", review, { signal });
        checkReview(answer, review);
        done();
        return answer;
      } catch (error) {
        done(error);
        throw error;
      }
    },
    version,
    timeoutMs: TIMEOUT_MS,
    allowTtlMs,
    denyTtlMs,
    clock,
  });
}

/**
 * Rejects a response of another kind or version. A response without them is accepted, because upstream decodes responses with the type of
 * the request as the default.
 */
function checkReview(answer: unknown, sent: object): void {
  if (typeof answer !== "object" || answer === null)
    throw new Error(`the authorization webhook responded with ${JSON.stringify(answer)}; want a SubjectAccessReview`);
  for (const field of ["apiVersion", "kind"] as const) {
    const [found, want] = [answer, sent].map((one) => (one as Readonly<Record<string, unknown>>)[field]);
    if (found !== undefined && found !== "" && found !== want)
      throw new Error(`the authorization webhook responded with ${field} ${JSON.stringify(found)}; want "${want}"`);
  }
}
