import { type AccessReviewOptions, type Authorizer, accessReviewAuthorizer } from "@orchernetes/auth";
import type { Metrics } from "@orchernetes/component";
import type { Clock } from "@orchernetes/kernel";
import { webhookAuthorizationMetrics } from "../metrics/authorization-metrics.ts";
import { delegatedMetrics } from "../metrics/delegated-metrics.ts";
import { createReviewClient, type ReviewEndpoint, reviewRetry } from "../webhook/review-client.ts";

/** Time for a review with all its attempts, in milliseconds. */
const TIMEOUT_MS = 30_000;

/** The service that mode Webhook asks. */
export interface WebhookAuthorization extends Pick<AccessReviewOptions, "allowTtlMs" | "denyTtlMs"> {
  readonly service: ReviewEndpoint;
  /** Version of authorization.o8s.io in which it is asked. */
  readonly version: "v1" | "v1beta1";
}

/** What authorizers are made with. */
export interface AuthorizerParts {
  readonly metrics: Metrics;
  readonly clock: Clock;
  /** Ends connections to services. */
  readonly signal: AbortSignal;
}

/**
 * Mode Webhook: asks a service with a SubjectAccessReview, and remembers its decisions. A service that cannot be asked, or gives
 * another answer than a review, decides nothing: the next authorizer is asked, and without one the request fails.
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

/** What names no kind or version is taken for what was sent. */
function checkReview(answer: unknown, sent: object): void {
  if (typeof answer !== "object" || answer === null)
    throw new Error(`the authorization webhook answered with ${JSON.stringify(answer)}; want a SubjectAccessReview`);
  for (const field of ["apiVersion", "kind"] as const) {
    const [found, want] = [answer, sent].map((one) => (one as Readonly<Record<string, unknown>>)[field]);
    if (found !== undefined && found !== "" && found !== want)
      throw new Error(`the authorization webhook answered with ${field} ${JSON.stringify(found)}; want "${want}"`);
  }
}
