import type { ApiServer } from "@orchernetes/apiserver";
import { type Check, createHealth, type Health, type Metrics, pingCheck, shutdownCheck } from "@orchernetes/component";
import type { Logger } from "@orchernetes/kernel";

/** Checks of the server's own (what has a better or an app-level form is taken from {@link ProbeParts}). */
const REPLACED: ReadonlySet<string> = new Set(["ping", "log", "etcd", "shutdown", "informer-sync"]);

/** The checks that probes are made of. */
export interface ProbeParts {
  readonly api: Pick<ApiServer, "healthChecks">;
  readonly log: Check;
  /** Whether the stores answer. */
  readonly stores: readonly Check[];
  /** Whether the stores can do all that is asked of them. */
  readonly storesReady: readonly Check[];
  readonly hooks: readonly Check[];
  /** Aborts when the server is asked to stop. */
  readonly stopping: AbortSignal;
  /** `--livez-grace-period` */
  readonly livezGraceMs: number;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** `/healthz`, `/livez` and `/readyz`. Whether caches follow the store concerns readiness alone: a restart would not help. */
export function createProbes(parts: ProbeParts): Health {
  const { api, log, stores, storesReady, hooks, stopping, livezGraceMs, logger, metrics } = parts;
  const own = api.healthChecks.filter((check) => !REPLACED.has(check.name));
  const informers = api.healthChecks.filter((check) => check.name === "informer-sync");
  const all = [pingCheck, log, ...own, ...stores, ...hooks];
  return createHealth({
    healthz: all,
    livez: all,
    readyz: [...all.slice(0, 2), ...own, ...stores, ...storesReady, ...informers, ...hooks, shutdownCheck(stopping)],
    livezGraceMs,
    logger,
    metrics,
  });
}
