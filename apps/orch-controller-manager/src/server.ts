import { type DaemonContext, workQueueMetrics } from "@orchernetes/component";
import { runElectedDaemon } from "@orchernetes/leader-election";
import type { Config } from "./config.ts";
import { runControllers } from "./run-controllers.ts";

/**
 * Serves health and metrics, and runs the controllers while it is the leader.
 *
 * @throws Error if leadership is lost or a controller fails; the supervisor then restarts the process
 */
export function runServer(config: Config, context: DaemonContext): Promise<void> {
  const { flags, rateLimit, tokenReviewClient, accessReviewClient, election, migration, warnings } = config;
  const { enableProfiling, enableContentionProfiling } = config.settings.Generic.Debugging;
  return runElectedDaemon({
    name: "orch-controller-manager",
    flags,
    client: config.client,
    rateLimit,
    contentTypes: config.contentTypes,
    tokenReviewClient,
    accessReviewClient,
    profiling: enableProfiling ? { contention: enableContentionProfiling } : undefined,
    election,
    migration,
    warnings,
    context,
    work: ({ client, metrics, health, userAgent }) => {
      const { logger } = context;
      const shared = { config, client, userAgent, metrics, queueMetrics: workQueueMetrics(metrics), health, logger };
      return {
        lead: (signal, prepared) => {
          if (migration !== undefined) logger.info("Leader migration: starting the main controllers");
          return runControllers({ ...shared, enabled: config.enabled, onTokens: prepared }, signal);
        },
        leadMigrated(signal) {
          logger.info("Leader migration: starting the migrated controllers");
          return runControllers({ ...shared, enabled: config.migrated }, signal);
        },
      };
    },
  });
}
