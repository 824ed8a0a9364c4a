import { internalError } from "@orchernetes/apimachinery";
import type { AdmissionContext, AdmissionOperation } from "@orchernetes/apiserver";
import type { Clock, Logger } from "@orchernetes/kernel";
import { remainingMs, requestTooLate } from "./call-time.ts";
import type { Webhook } from "./webhook.ts";
import { WebhookCallError, WebhookDenial } from "./webhook-error.ts";
import type { WebhookObserver } from "./webhook-metrics.ts";

/** Dependencies of {@link applyFailurePolicy}. */
export interface FailurePolicyParts {
  readonly observer: WebhookObserver;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** A call of a webhook. */
export interface PolicedCall {
  readonly webhook: Webhook;
  readonly operation: AdmissionOperation;
  readonly context: AdmissionContext;
  /** Key of the audit annotation about a failure that is ignored. */
  readonly failedOpenKey: string;
}

/**
 * Makes a call, counts it, and applies the failure policy of the webhook to it.
 *
 * @returns the result of the call; undefined if the call failed and the failure policy is `Ignore`
 * @throws ApiError if the request is rejected
 */
export async function applyFailurePolicy<T>(
  { webhook, operation, context, failedOpenKey }: PolicedCall,
  { observer, logger, clock }: FailurePolicyParts,
  call: () => Promise<T>,
): Promise<T | undefined> {
  const { name, configuration, ignoresFailures } = webhook;
  const startMs = clock.monotonicMs();
  const seconds = () => (clock.monotonicMs() - startMs) / 1000;
  try {
    const value = await call();
    observer.called(name, operation, seconds(), false, 200);
    return value;
  } catch (error) {
    if (error instanceof WebhookDenial) {
      const { code } = error.error;
      observer.rejected(name, operation, "no_error", code);
      observer.called(name, operation, seconds(), true, code);
      throw error.error;
    }
    if (!(error instanceof WebhookCallError)) {
      observer.rejected(name, operation, "apiserver_internal_error", 0);
      observer.called(name, operation, seconds(), true, 0);
      throw error;
    }
    const isOver = remainingMs(context, clock) === 0;
    // The client has disconnected, which is no failure of the webhook.
    const cancelled = context.signal.aborted && !isOver;
    const { code } = error;
    if (!ignoresFailures && !cancelled) observer.rejected(name, operation, "calling_webhook_error", code);
    observer.called(name, operation, seconds(), !ignoresFailures, code);
    const values = { webhook: name, configuration, err: error.message };
    if (!ignoresFailures) {
      logger.warn("A webhook could not be called: the request is rejected", values);
      throw isOver ? requestTooLate() : internalError(error);
    }
    if (cancelled) throw requestTooLate();
    logger.warn("A webhook could not be called: it is ignored, as its failure policy says", values);
    observer.failedOpen(name);
    context.annotate(failedOpenKey, name);
    if (isOver) throw requestTooLate();
    return undefined;
  }
}
