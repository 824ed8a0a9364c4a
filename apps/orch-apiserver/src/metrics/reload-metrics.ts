import type { Metrics } from "@orchernetes/component";

/** Counts how often a changed encryption configuration was taken over, or could not be. The names are those of 1.28. */
export function reloadMetrics(metrics: Metrics): (outcome: "success" | "failure") => void {
  const prefix = "apiserver_encryption_config_controller_automatic_reload";
  const successes = metrics.counter({
    name: `${prefix}_success_total`,
    help: "Changes of the encryption configuration that were taken over.",
  });
  const failures = metrics.counter({
    name: `${prefix}_failures_total`,
    help: "Attempts to take over a changed encryption configuration that failed.",
  });
  const lastAt = metrics.gauge({
    name: `${prefix}_last_timestamp_seconds`,
    help: "When a changed encryption configuration was last taken over, or could not be, in seconds since 1970.",
    labelNames: ["status"],
  });
  return (outcome) => {
    (outcome === "success" ? successes : failures).inc();
    lastAt.set(Date.now() / 1000, [outcome]);
  };
}
