import { type Check, createHealth, type Health, type Metrics, pingCheck, shutdownCheck } from "@orchernetes/component";
import type { Logger } from "@orchernetes/kernel";

/** The checks that probes are made of. */
export interface ProbeParts {
  /** Whether the watch caches follow the store. */
  readonly informers: Check;
  readonly log: Check;
  /** Whether the stores answer. */
  readonly stores: readonly Check[];
  /** Whether the stores can serve all operations. */
  readonly storesReady: readonly Check[];
  readonly hooks: readonly Check[];
  /** Aborts when the server receives the signal to stop. */
  readonly stopping: AbortSignal;
  /** `--livez-grace-period` */
  readonly livezGraceMs: number;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** `/healthz`, `/livez` and `/readyz`. Whether caches follow the store concerns readiness alone: a restart would not help. */
export function createProbes(parts: ProbeParts): Health {
  const { informers, log, stores, storesReady, hooks, stopping, livezGraceMs, logger, metrics } = parts;
  const all = [pingCheck, log, ...stores, ...hooks];
  return createHealth({
    healthz: all,
    livez: all,
    readyz: [pingCheck, log, ...stores, ...storesReady, informers, ...hooks, shutdownCheck(stopping)],
    livezGraceMs,
    logger,
    metrics,
  });
}
