import type { Client } from "@orchernetes/client";
import { type CloudProvider, runTogether, runWithCloud } from "@orchernetes/cloud-provider";
import type { Health, Metrics } from "@orchernetes/component";
import { type QueueMetrics, runManagedControllers } from "@orchernetes/controller";
import { type Logger, systemClock } from "@orchernetes/kernel";
import type { Config } from "./config.ts";
import { cloudControllers } from "./controllers/index.ts";
import { serviceAccountTokenController } from "./controllers/serviceaccount-token/controller.ts";
import type { ControllerDescriptor, ManagerContext } from "./shared/define-controller.ts";
import { createDiscovery } from "./shared/discovery.ts";

/** The controllers and the services that they share. */
export interface RunControllersOptions {
  readonly config: Pick<Config, "client" | "cloud" | "controllers" | "settings">;
  /** The controllers to run, in the order in which they start. */
  readonly enabled: readonly ControllerDescriptor[];
  /** Called when the controller of tokens, which others may wait for, has started, or is not among the enabled ones. */
  readonly onTokens?: () => void;
  /** The client with the manager's own identity. */
  readonly client: Client;
  readonly userAgent: string;
  readonly metrics: Metrics;
  readonly queueMetrics: QueueMetrics;
  readonly health: Health;
  readonly logger: Logger;
}

/**
 * Runs the enabled controllers until the signal aborts.
 *
 * @throws Error if the API server is unreachable or a controller fails permanently; the supervisor then restarts the
 *   process
 */
export function runControllers(options: RunControllersOptions, signal: AbortSignal): Promise<void> {
  const { config, onTokens = () => undefined } = options;
  const { Generic, OrchCloudShared } = config.settings;
  const discovery = createDiscovery(options.client);
  const { client, logger } = options;
  const cloud = Promise.withResolvers<CloudProvider | undefined>();
  let provider: CloudProvider | undefined;
  const runAll = (until: AbortSignal): Promise<void> =>
    runManagedControllers<ManagerContext>(
      {
        ...options,
        settings: config.controllers,
        clientConfig: config.client,
        contextOf: (shared) => ({ ...shared, cloud: provider, discovery, metrics: options.metrics }),
        // A cloud that cannot be reached must not keep pods from being made.
        readiness: ({ name }) =>
          config.cloud !== undefined && cloudControllers.some((one) => one.name === name) ? cloud.promise : undefined,
        // The controller of tokens is the first one: it has started when another one does.
        beforeStart({ name }) {
          if (name !== serviceAccountTokenController.name) onTokens();
        },
        onStarted: onTokens,
        useServiceAccounts: OrchCloudShared.UseServiceAccountCredentials,
        minResyncMs: Generic.MinResyncPeriod,
        startIntervalMs: Generic.ControllerStartInterval,
      },
      until,
    );
  const runCloud = (until: AbortSignal): Promise<void> =>
    runWithCloud(
      {
        module: config.cloud?.module,
        config: config.cloud?.config,
        allowUntagged: OrchCloudShared.AllowUntaggedCloud,
        // Of the two locks only the main one gives this manager the whole cloud.
        withOwnWork: options.onTokens !== undefined,
        client,
        logger,
        clock: systemClock,
        work(made, ended) {
          provider = made;
          cloud.resolve(made);
          return untilAborted(ended);
        },
      },
      until,
    );
  return runTogether([runAll, ...(config.cloud === undefined ? [] : [runCloud])], signal);
}

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
