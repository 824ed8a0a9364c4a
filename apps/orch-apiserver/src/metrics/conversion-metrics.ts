import type { ConversionWebhooks } from "@orchernetes/apiextensions";
import { exponentialBuckets, type Metrics } from "@orchernetes/component";

/** Counts the calls of conversion webhooks as metrics. */
export function conversionMetrics(metrics: Metrics): NonNullable<ConversionWebhooks["observe"]> {
  const seconds = metrics.histogram({
    name: "apiserver_crd_webhook_conversion_duration_seconds",
    help: "Latency of conversion webhooks of custom resources in seconds.",
    labelNames: ["crd_name", "from_version", "to_version", "succeeded"],
    buckets: exponentialBuckets(0.001, 2, 15),
  });
  return ({ definition, fromVersion, toVersion, succeeded, seconds: elapsed }) =>
    seconds.observe(elapsed, [definition, fromVersion, toVersion, String(succeeded)]);
}
