import type { Metrics } from "@orchernetes/component";

/** Counts how often a changed encryption configuration was taken over, or could not be. The names are those of 1.28. */
export function reloadMetrics(metrics: Metrics): (outcome: "success" | "failure") => void {
  const prefix = "apiserver_encryption_config_controller_automatic_reload";
  const successes = metrics.counter({
    name: `${prefix}_success_total`,
    help: "Number of successful reloads of the encryption configuration.",
  });
  const failures = metrics.counter({
    name: `${prefix}_failures_total`,
    help: "Number of failed reloads of the encryption configuration.",
  });
  const lastAt = metrics.gauge({
    name: `${prefix}_last_timestamp_seconds`,
    help: "Time of the last reload of the encryption configuration in seconds since the epoch, by status.",
    labelNames: ["status"],
  });
  return (outcome) => {
    (outcome === "success" ? successes : failures).inc();
    lastAt.set(Date.now() / 1000, [outcome]);
  };
}
