import { type CloudProvider, runWithCloud } from "@orchernetes/cloud-provider";
import { type DaemonContext, workQueueMetrics } from "@orchernetes/component";
import { runManagedControllers } from "@orchernetes/controller";
import { systemClock } from "@orchernetes/kernel";
import { type DaemonParts, electionOf, runElectedDaemon } from "@orchernetes/leader-election";
import type { Config } from "./config.ts";
import type { CloudController } from "./controllers.ts";
import { serveWebhooks } from "./webhooks/serve-webhooks.ts";

/**
 * Serves health, metrics and webhooks, waits for leadership and runs the controllers while it lasts.
 * @throws Error when leadership is lost, or the provider or a controller fails: the process ends and is started again by its supervisor.
 */
export function runServer(config: Config, context: DaemonContext): Promise<void> {
  const { flags, tokenReviewClient, accessReviewClient, migration, warnings } = config;
  const { ClientConnection, Debugging, LeaderElection } = config.settings.Generic;
  return runElectedDaemon({
    name: "cloud-controller-manager",
    flags,
    client: config.client,
    rateLimit: { qps: ClientConnection.qps, burst: ClientConnection.burst },
    contentTypes: config.contentTypes,
    tokenReviewClient,
    accessReviewClient,
    profiling: Debugging.enableProfiling ? { contention: Debugging.enableContentionProfiling } : undefined,
    election: electionOf(LeaderElection),
    migration: migration?.election,
    warnings,
    context,
    work: (parts) => new Work(config, context, parts),
  });
}

/** What the daemon does beside serving. */
class Work {
  readonly #config: Config;
  readonly #context: DaemonContext;
  readonly #parts: DaemonParts;
  readonly #queueMetrics: ReturnType<typeof workQueueMetrics>;
  /** The provider while this process leads, for webhooks. */
  #cloud: CloudProvider | undefined;

  constructor(config: Config, context: DaemonContext, parts: DaemonParts) {
    this.#config = config;
    this.#context = context;
    this.#parts = parts;
    this.#queueMetrics = workQueueMetrics(parts.metrics);
  }

  /** Serves webhooks, on standbys too: any replica may be asked. */
  readonly follow = (stop: AbortSignal): void => {
    const { flags, webhooks } = this.#config;
    const { logger } = this.#context;
    const { metrics } = this.#parts;
    const serving = serveWebhooks({ flags, webhooks, cloud: () => this.#cloud, metrics, logger, signal: stop });
    this.#serving = serving;
    // Reported by `lead`, which ends the process.
    serving.catch(() => undefined);
  };
  #serving: Promise<void> = Promise.resolve();

  readonly lead = async (signal: AbortSignal, prepared: () => void): Promise<void> => {
    prepared();
    await this.#serving;
    await this.#run(this.#config.enabled, true, signal);
  };

  // The lock is held also if nothing runs under it here.
  readonly leadMigrated = (signal: AbortSignal): Promise<void> => this.#run(this.#config.migrated, false, signal);

  #run(enabled: readonly CloudController[], isMain: boolean, signal: AbortSignal): Promise<void> {
    const { settings, provider, cloudConfig } = this.#config;
    const work = (cloud: CloudProvider | undefined, until: AbortSignal) => {
      if (isMain) this.#cloud = cloud;
      return this.#runControllers(enabled, cloud, until);
    };
    return runWithCloud(
      {
        module: provider,
        allowUntagged: settings.OrchCloudShared.AllowUntaggedCloud,
        withOwnWork: isMain,
        client: this.#parts.client,
        config: cloudConfig,
        logger: this.#context.logger,
        clock: systemClock,
        work,
      },
      signal,
    );
  }

  #runControllers(
    enabled: readonly CloudController[],
    cloud: CloudProvider | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const { client: clientConfig, controllers, settings } = this.#config;
    const { Generic, OrchCloudShared } = settings;
    const { client, userAgent, health, metrics } = this.#parts;
    return runManagedControllers(
      {
        enabled,
        settings: controllers,
        contextOf: (shared) => ({ ...shared, cloud, metrics }),
        client,
        clientConfig,
        useServiceAccounts: OrchCloudShared.UseServiceAccountCredentials,
        minResyncMs: Generic.MinResyncPeriod,
        startIntervalMs: Generic.ControllerStartInterval,
        userAgent,
        queueMetrics: this.#queueMetrics,
        health,
        logger: this.#context.logger,
      },
      signal,
    );
  }
}
