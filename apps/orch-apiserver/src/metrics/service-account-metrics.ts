import type { Metrics } from "@orchernetes/component";

/** Counts service account tokens by how they were issued. Each is counted when it is verified, not with each request. */
export interface TokenCounts {
  /** A token kept in a secret. */
  legacy(): void;
  /** A token that its holder should have renewed. */
  stale(): void;
  /** A token that is to be renewed, in time. */
  valid(): void;
}

/** Token counts as metrics. */
export function serviceAccountMetrics(metrics: Metrics): TokenCounts {
  const counter = (name: string, help: string) => {
    const total = metrics.counter({ name: `serviceaccount_${name}_tokens_total`, help });
    return () => total.inc();
  };
  return {
    legacy: counter("legacy", "Service account tokens kept in secrets that were used."),
    stale: counter("stale", "Service account tokens that were used after they should have been renewed."),
    valid: counter("valid", "Service account tokens that were used before they had to be renewed."),
  };
}
