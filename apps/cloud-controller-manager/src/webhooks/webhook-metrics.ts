import type { Metrics } from "@orchernetes/component";

/** Measures requests to webhooks: status code, name of the webhook, milliseconds. */
export type WebhookMetrics = (code: number, webhook: string, ms: number) => void;

/** Registers the metrics of webhooks, under the original's names. */
export function webhookMetrics(metrics: Metrics): WebhookMetrics {
  const labelNames = ["code", "webhook"] as const;
  const total = metrics.counter({
    name: "cloud_provider_webhook_request_total",
    help: "Number of requests to webhooks by status code.",
    labelNames,
  });
  const latency = metrics.histogram({
    name: "cloud_provider_webhook_request_duration_seconds",
    help: "Time it takes to answer requests to webhooks, in seconds, by status code.",
    labelNames,
    buckets: [0.25, 0.5, 0.7, 1, 1.5, 3, 5, 10],
  });
  return (code, webhook, ms) => {
    total.inc([String(code), webhook]);
    latency.observe(ms / 1000, [String(code), webhook]);
  };
}
