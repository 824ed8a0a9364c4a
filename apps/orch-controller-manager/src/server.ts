import { type DaemonContext, workQueueMetrics } from "@orchernetes/component";
import { runElectedDaemon } from "@orchernetes/leader-election";
import type { Config } from "./config.ts";
import { runControllers } from "./run-controllers.ts";

/**
 * Serves health and metrics, and runs the controllers while it leads.
 * @throws Error when leadership is lost or a controller fails: the process ends and is started anew by its supervisor
 */
export function runServer(config: Config, context: DaemonContext): Promise<void> {
  const { flags, tokenReviewClient, accessReviewClient, election, warnings } = config;
  // The server's own limits protect it better than the flags' defaults, which suit clients of another age.
  const explicitQps = context.explicit.has("orch-api-qps");
  return runElectedDaemon({
    name: "orch-controller-manager",
    flags,
    client: config.client,
    rateLimit: explicitQps ? { qps: flags["orch-api-qps"], burst: flags["orch-api-burst"] } : undefined,
    tokenReviewClient,
    accessReviewClient,
    profiling: flags.profiling ? { contention: flags["contention-profiling"] } : undefined,
    election,
    warnings,
    context,
    work: ({ client, metrics, health, userAgent }) => ({
      lead: (signal) =>
        runControllers(
          { config, client, userAgent, queueMetrics: workQueueMetrics(metrics), health, logger: context.logger },
          signal,
        ),
    }),
  });
}
