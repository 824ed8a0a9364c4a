import type { DaemonContext } from "@orchernetes/component";
import { electionOf, runElectedDaemon } from "@orchernetes/leader-election";
import type { Config } from "./config.ts";

/**
 * Serves health and metrics, waits for leadership and lets the provider work while it lasts.
 * @throws Error when leadership is lost or the provider fails: the process ends and is started again by its supervisor.
 */
export function runServer(config: Config, context: DaemonContext): Promise<void> {
  const { flags, tokenReviewClient, accessReviewClient, warnings } = config;
  const { ClientConnection, Debugging, LeaderElection } = config.settings.Generic;
  const { logger } = context;
  return runElectedDaemon({
    name: "cloud-controller-manager",
    flags,
    client: config.client,
    rateLimit: { qps: ClientConnection.qps, burst: ClientConnection.burst },
    tokenReviewClient,
    accessReviewClient,
    profiling: Debugging.enableProfiling ? { contention: Debugging.enableContentionProfiling } : undefined,
    election: electionOf(LeaderElection),
    warnings,
    context,
    work: ({ client }) => {
      const provider = config.provider({ client, config: config.cloudConfig, logger });
      return {
        follow: () => logger.info("Using the provider", { provider: provider.name }),
        lead: (signal) => provider.run(signal),
      };
    },
  });
}
