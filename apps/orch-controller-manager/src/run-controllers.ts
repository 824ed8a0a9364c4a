import { type Client, createClient, createEventRecorder, createInformerFactory } from "@orchernetes/client";
import type { Health, Metrics } from "@orchernetes/component";
import type { QueueMetrics } from "@orchernetes/controller";
import { type Logger, systemClock } from "@orchernetes/kernel";
import type { Config } from "./config.ts";
import { serviceAccountTokenController } from "./controllers/serviceaccount-token/controller.ts";
import type { ControllerDescriptor } from "./shared/define-controller.ts";
import { createDiscovery } from "./shared/discovery.ts";
import { serviceAccountTokens } from "./shared/service-account-client.ts";

/** The controllers and the services that they share. */
export interface RunControllersOptions {
  readonly config: Pick<Config, "client" | "controllers" | "settings">;
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

/** Maximum time to wait for the API server before the controllers are started, in milliseconds. */
const apiServerPatienceMs = 10_000;

/**
 * Runs the enabled controllers until the signal aborts.
 *
 * @throws Error if the API server is unreachable or a controller fails permanently; the supervisor then restarts the
 *   process
 */
export async function runControllers(options: RunControllersOptions, signal: AbortSignal): Promise<void> {
  const { config, client, userAgent, logger, health } = options;
  const { MinResyncPeriod, ControllerStartInterval } = config.settings.Generic;
  const clock = systemClock;
  await waitForApiServer(client, signal);
  if (signal.aborted) return;
  const stop = new AbortController();
  const stopping = AbortSignal.any([signal, stop.signal]);
  const informers = createInformerFactory(client, {
    logger,
    resyncMs: MinResyncPeriod * (1 + Math.random()),
    pageSize: 5000,
  });
  const discovery = createDiscovery(client);
  const running: Promise<void>[] = [];
  const withTokens = config.settings.OrchCloudShared.UseServiceAccountCredentials ? tokenClients(options) : undefined;
  try {
    for (const controller of options.enabled) {
      if (signal.aborted) break;
      // It is the first one.
      if (controller !== serviceAccountTokenController) options.onTokens?.();
      const controllerLogger = logger.child({ controller: controller.name });
      const name = `${userAgent}/${controller.serviceAccount}`;
      const own =
        withTokens === undefined || controller.usesManagerIdentity
          ? client.with({ userAgent: name })
          : withTokens.with({
              userAgent: name,
              tokenSource: await serviceAccountTokens(client, controller.serviceAccount, {
                clock,
                logger,
                signal: stopping,
              }),
            });
      // A separate rate limit: many events must not delay the controllers.
      const recorder = createEventRecorder(own.with({}), {
        component: controller.eventSource,
        logger: controllerLogger,
        signal: stopping,
      });
      logger.info("Starting a controller", { controller: controller.name });
      const context = {
        client: own,
        informers,
        discovery,
        recorder,
        metrics: options.metrics,
        queueMetrics: options.queueMetrics,
        logger: controllerLogger,
        clock,
        signal: stopping,
      };
      const work = controller.start(context, config.controllers[controller.name]);
      let failure: unknown;
      const check = (): void => {
        if (failure !== undefined) throw new Error(`controller ${controller.name} has failed`, { cause: failure });
      };
      health.add({ name: controller.name, check }, ["healthz"]);
      running.push(
        work.catch((error: unknown) => {
          if (stopping.aborted) return;
          failure = error;
          throw new Error(`controller ${controller.name} failed`, { cause: error });
        }),
      );
      await clock.sleep(ControllerStartInterval, stopping).catch(() => undefined);
    }
    options.onTokens?.();
    informers.start(stopping);
    const aborted = new Promise<void>((resolve) => {
      if (stopping.aborted) resolve();
      else stopping.addEventListener("abort", () => resolve(), { once: true });
    });
    // A controller that has nothing to do resolves. A controller that fails ends the process.
    await Promise.race([aborted, Promise.all([...running, aborted])]);
  } finally {
    stop.abort();
    await Promise.allSettled(running);
    await informers.stopped();
    withTokens?.close();
  }
}

/**
 * Clients with the tokens of controllers' service accounts (`UseServiceAccountCredentials`). They share the connection: the tokens are in the
 * requests.
 */
function tokenClients({ config, logger }: RunControllersOptions): Client {
  const { server, tls } = config.client;
  let trusted: { readonly source: unknown; readonly tls: object } | undefined;
  // A client certificate would take precedence over the token.
  const withoutCertificate = (): object => {
    const source = typeof tls === "function" ? tls() : (tls ?? {});
    if (trusted?.source !== source) {
      const { cert: _, key: __, ...rest } = source;
      trusted = { source, tls: rest };
    }
    return trusted.tls;
  };
  return createClient({ server, tls: withoutCertificate, logger });
}

async function waitForApiServer(client: Client, signal: AbortSignal): Promise<void> {
  const deadline = systemClock.monotonicMs() + apiServerPatienceMs;
  for (;;) {
    try {
      await client.request({ method: "GET", path: "/healthz", accept: "*/*", signal, timeoutMs: 5000 });
      return;
    } catch (error) {
      if (signal.aborted) return;
      if (systemClock.monotonicMs() > deadline) {
        throw new Error(`the API server at ${client.server} is not healthy`, { cause: error });
      }
      await systemClock.sleep(250, signal).catch(() => undefined);
    }
  }
}
