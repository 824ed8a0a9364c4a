import type { AdmissionOperation } from "@orchernetes/apiserver";
import type { Metrics } from "@orchernetes/component";

/** Label `type` of the metrics, in upstream's words: `admit` is for mutating webhooks. */
export type WebhookStep = "admit" | "validating";

/** Why a request was rejected. */
type RejectionCause = "calling_webhook_error" | "apiserver_internal_error" | "no_error";

/** Counts calls of webhooks and their results. */
export interface WebhookObserver {
  /** A call has ended, as `code`; 0 if the server itself failed. */
  called(name: string, operation: AdmissionOperation, seconds: number, rejected: boolean, code: number): void;
  rejected(name: string, operation: AdmissionOperation, cause: RejectionCause, code: number): void;
  /** A failure was ignored. */
  failedOpen(name: string): void;
  /** A match condition could not be evaluated. */
  readonly conditionFailed: (name: string) => void;
}

/** Higher codes are counted as this one, so that a webhook cannot create many series. */
const MAX_CODE = 600;

/** Creates the metrics for one kind of webhook. */
export function webhookMetrics(metrics: Metrics, step: WebhookStep): WebhookObserver {
  const durations = metrics.histogram({
    name: "apiserver_admission_webhook_admission_duration_seconds",
    help: "Latency of calls to admission webhooks in seconds, by webhook, operation, and whether the request was rejected.",
    stability: "STABLE",
    labelNames: ["name", "type", "operation", "rejected"],
    buckets: [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25],
  });
  const requests = metrics.counter({
    name: "apiserver_admission_webhook_request_total",
    help: "Number of calls to admission webhooks, by webhook, operation, status code, and whether the request was rejected.",
    labelNames: ["name", "type", "operation", "code", "rejected"],
  });
  const rejections = metrics.counter({
    name: "apiserver_admission_webhook_rejection_count",
    help: "Number of requests rejected by an admission webhook, or because a call to it failed.",
    labelNames: ["name", "type", "operation", "error_type", "rejection_code"],
  });
  const failOpen = metrics.counter({
    name: "apiserver_admission_webhook_fail_open_count",
    help: "Number of failed calls to admission webhooks that were ignored (failurePolicy Ignore).",
    labelNames: ["name", "type"],
  });
  const conditions = metrics.counter({
    name: "apiserver_admission_admission_match_condition_evaluation_errors_total",
    help: "Number of errors while evaluating match conditions, by webhook or policy.",
    labelNames: ["name", "type"],
  });
  const codeOf = (code: number): string => String(Math.min(code, MAX_CODE));
  return {
    called(name, operation, seconds, rejected, code) {
      requests.inc([name, step, operation, codeOf(code), String(rejected)]);
      durations.observe(seconds, [name, step, operation, String(rejected)]);
    },
    rejected: (name, operation, cause, code) => rejections.inc([name, step, operation, cause, codeOf(code)]),
    failedOpen: (name) => failOpen.inc([name, step]),
    conditionFailed: (name) => conditions.inc([name, step]),
  };
}
