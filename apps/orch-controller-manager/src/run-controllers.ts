import { type Client, createClient, createEventRecorder, createInformerFactory } from "@orchernetes/client";
import type { Health } from "@orchernetes/component";
import type { QueueMetrics } from "@orchernetes/controller";
import { type Logger, systemClock } from "@orchernetes/kernel";
import type { Config } from "./config.ts";
import { createDiscovery } from "./shared/discovery.ts";
import { serviceAccountTokens } from "./shared/service-account-client.ts";

export interface RunControllersOptions {
  readonly config: Config;
  /** In the manager's own name. */
  readonly client: Client;
  readonly userAgent: string;
  readonly queueMetrics: QueueMetrics;
  readonly health: Health;
  readonly logger: Logger;
}

/** How long the API server is waited for before anything is started. */
const apiServerPatienceMs = 10_000;

/**
 * Runs the enabled controllers until the signal aborts.
 *
 * @throws Error when the API server cannot be reached, or when a controller fails for good: the process is then started again
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
  const clients: Client[] = [];
  try {
    for (const controller of config.enabled) {
      if (signal.aborted) break;
      const controllerLogger = logger.child({ controller: controller.name });
      const name = `${userAgent}/${controller.serviceAccount}`;
      const own = await clientFor(options, name, controller.serviceAccount, clients, stopping);
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
    informers.start(stopping);
    const aborted = new Promise<void>((resolve) => {
      if (stopping.aborted) resolve();
      else stopping.addEventListener("abort", () => resolve(), { once: true });
    });
    // A controller with nothing to do ends; one that fails takes the process with it.
    await Promise.race([aborted, Promise.all([...running, aborted])]);
  } finally {
    stop.abort();
    await Promise.allSettled(running);
    await informers.stopped();
    for (const own of clients) own.close();
  }
}

/**
 * The client of one controller: the manager's under another name, or with `UseServiceAccountCredentials` one of its own with
 * the token of its service account.
 *
 * @param clients clients to be closed later
 */
async function clientFor(
  { config, client, logger }: RunControllersOptions,
  name: string,
  serviceAccount: string,
  clients: Client[],
  signal: AbortSignal,
): Promise<Client> {
  if (!config.settings.OrchCloudShared.UseServiceAccountCredentials) return client.with({ userAgent: name });
  const tokenSource = await serviceAccountTokens(client, serviceAccount, { clock: systemClock, logger, signal });
  const { server, tls } = config.client;
  let trusted: { readonly source: unknown; readonly tls: object } | undefined;
  // A client certificate would win over the token.
  const withoutCertificate = (): object => {
    const source = typeof tls === "function" ? tls() : (tls ?? {});
    if (trusted?.source !== source) {
      const { cert: _, key: __, ...rest } = source;
      trusted = { source, tls: rest };
    }
    return trusted.tls;
  };
  const own = createClient({ server, tls: withoutCertificate, tokenSource, userAgent: name, logger });
  clients.push(own);
  return own;
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
