import type { DaemonContext } from "@orchernetes/component";
import { type ControllerLock, electionOf, runElectedDaemon } from "@orchernetes/leader-election";
import type { CloudController } from "./cloud-provider.ts";
import type { Config } from "./config.ts";

/**
 * Serves health and metrics, waits for leadership and lets the provider work while it lasts.
 * @throws Error when leadership is lost or the provider fails: the process ends and is started again by its supervisor.
 */
export function runServer(config: Config, context: DaemonContext): Promise<void> {
  const { flags, tokenReviewClient, accessReviewClient, migration, warnings } = config;
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
    migration: migration?.election,
    warnings,
    context,
    work: ({ client }) => {
      const provider = config.provider({ client, config: config.cloudConfig, logger });
      const { controllers = {} } = provider;
      const under = (lock: ControllerLock): readonly CloudController[] =>
        Object.entries(controllers).flatMap(([name, controller]) =>
          (migration?.lockOf(name) ?? "main") === lock ? [controller] : [],
        );
      return {
        follow: () => logger.info("Using the provider", { provider: provider.name }),
        lead(signal, prepared) {
          prepared();
          return runTogether([(until) => provider.run(until), ...under("main")], signal);
        },
        // The lock is held also if nothing runs under it here.
        leadMigrated: (signal) => runTogether([untilAborted, ...under("migration")], signal),
      };
    },
  });
}

const untilAborted: CloudController = (signal) =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });

/** Runs all until the signal aborts or one of them fails; resolves or rejects when all have ended. */
async function runTogether(runs: readonly CloudController[], signal: AbortSignal): Promise<void> {
  const failed = new AbortController();
  const until = AbortSignal.any([signal, failed.signal]);
  const results = await Promise.allSettled(
    runs.map(async (run) => {
      try {
        await run(until);
      } catch (error) {
        failed.abort();
        throw error;
      }
    }),
  );
  for (const result of results) if (result.status === "rejected") throw result.reason;
}
