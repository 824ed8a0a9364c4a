import type { Metrics } from "@orchernetes/component";
import { ReviewError } from "../webhook/review-error.ts";

/** Records that the authorization webhook was asked: the time with all attempts, in seconds, and why it failed. */
export type ObserveAuthorizationWebhook = (seconds: number, error?: unknown) => void;

/** The metrics of mode Webhook. Cached decisions are not counted. The original has them from 1.29 on. */
export function webhookAuthorizationMetrics(metrics: Metrics): ObserveAuthorizationWebhook {
  const total = metrics.counter({
    name: "apiserver_authorization_webhook_evaluations_total",
    help: "Number of SubjectAccessReviews sent to the authorization webhook.",
    labelNames: ["result"],
  });
  const seconds = metrics.histogram({
    name: "apiserver_authorization_webhook_duration_seconds",
    help: "Latency of the authorization webhook in seconds, including retries.",
    labelNames: ["result"],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  });
  return (elapsed, error) => {
    const result =
      error === undefined
        ? "success"
        : error instanceof ReviewError && error.failure === "timeout"
          ? "timeout"
          : "error";
    total.inc([result]);
    seconds.observe(elapsed, [result]);
  };
}
