import { internalError } from "@orchernetes/apimachinery";
import type { AdmissionContext, AdmissionOperation } from "@orchernetes/apiserver";
import type { Clock, Logger } from "@orchernetes/kernel";
import { remainingMs, requestTooLate } from "./call-time.ts";
import type { Webhook } from "./webhook.ts";
import { WebhookCallError, WebhookDenial } from "./webhook-error.ts";
import type { WebhookObserver } from "./webhook-metrics.ts";

/** What judging calls needs. */
export interface JudgeParts {
  readonly observer: WebhookObserver;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** A call to judge. */
export interface JudgedCall {
  readonly webhook: Webhook;
  readonly operation: AdmissionOperation;
  readonly context: AdmissionContext;
  /** Audit annotation that says that the failure of a webhook was ignored. */
  readonly failedOpenKey: string;
}

/**
 * Makes a call, counts it, and decides what its failure means.
 *
 * @returns what the call returns; undefined if it failed and the webhook's policy is to ignore that
 * @throws ApiError when the request is rejected
 */
export async function judgeCall<T>(
  { webhook, operation, context, failedOpenKey }: JudgedCall,
  { observer, logger, clock }: JudgeParts,
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
    // The client went away: that says nothing about the webhook.
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
