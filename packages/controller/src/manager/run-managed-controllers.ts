import {
  type Client,
  type ClientConfig,
  createClient,
  createEventRecorder,
  createInformerFactory,
  type InformerFactory,
} from "@orchernetes/client";
import type { Health } from "@orchernetes/component";
import { type Clock, type Logger, systemClock } from "@orchernetes/kernel";
import type { QueueMetrics } from "../queue/queue-metrics.ts";
import type { ControllerContext } from "../shell/controller.ts";
import type { ControllerDescriptor } from "./controller-descriptor.ts";
import { serviceAccountTokens } from "./service-account-tokens.ts";

/** The part of a controller's descriptor that starting it needs. */
type Startable<C extends ControllerContext> = Pick<
  ControllerDescriptor<C, unknown>,
  "eventSource" | "name" | "serviceAccount" | "start" | "usesManagerIdentity"
>;

/** The controllers of a manager and the services that they share. */
export interface ManagedControllersOptions<C extends ControllerContext> {
  /** The controllers to run, in the order in which they start. */
  readonly enabled: readonly Startable<C>[];
  /** The settings of each controller, by its name. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Adds what this manager's controllers get beyond what all get. */
  contextOf(shared: ControllerContext): C;
  /**
   * What a controller must wait for; the others do not wait for it. A rejection fails the controller.
   * @default every controller starts in its order
   */
  readonly readiness?: (controller: Startable<C>) => Promise<unknown> | undefined;
  /** Called before each controller starts, in order. */
  readonly beforeStart?: (controller: Startable<C>) => void;
  /** Called when all controllers have started. */
  readonly onStarted?: () => void;
  /** The client with the manager's own identity. */
  readonly client: Client;
  /** How the manager reaches the API server: clients with the tokens of service accounts do so, too. */
  readonly clientConfig: Pick<ClientConfig, "server" | "tls">;
  /** `UseServiceAccountCredentials`: every controller has the identity of its service account. */
  readonly useServiceAccounts: boolean;
  /** Informers resync at a period between this and twice this, in milliseconds; 0 never. */
  readonly minResyncMs: number;
  /** Milliseconds between the starts of two controllers. */
  readonly startIntervalMs: number;
  readonly userAgent: string;
  readonly queueMetrics: QueueMetrics;
  readonly health: Health;
  readonly logger: Logger;
}

/** Maximum time to wait for the API server before the controllers are started, in milliseconds. */
const apiServerPatienceMs = 10_000;

/**
 * Runs controllers until the signal aborts.
 *
 * @throws Error if the API server is unreachable or a controller fails permanently; the supervisor then restarts the
 *   process
 */
export async function runManagedControllers<C extends ControllerContext>(
  options: ManagedControllersOptions<C>,
  signal: AbortSignal,
): Promise<void> {
  const { client, logger } = options;
  await waitForApiServer(client, signal);
  if (signal.aborted) return;
  const stop = new AbortController();
  const stopping = AbortSignal.any([signal, stop.signal]);
  const informers = createInformerFactory(client, {
    logger,
    resyncMs: options.minResyncMs * (1 + Math.random()),
    pageSize: 1000,
    shareParts: true,
  });
  const withTokens = options.useServiceAccounts ? tokenClients(options) : undefined;
  const running: Promise<void>[] = [];
  try {
    for (const controller of options.enabled) {
      if (signal.aborted) break;
      options.beforeStart?.(controller);
      const shared = { clock: systemClock, informers, signal: stopping };
      const start = async () => contextFor(controller, options, withTokens, shared);
      const ready = options.readiness?.(controller);
      const run =
        ready === undefined
          ? watched(controller, await start(), options)
          : startLater(ready, stopping, async () => watched(controller, await start(), options));
      // One that fails before all have started is reported below.
      run.catch(() => undefined);
      running.push(run);
      await systemClock.sleep(options.startIntervalMs, stopping).catch(() => undefined);
    }
    options.onStarted?.();
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

/** Starts a controller once it is ready, unless the signal aborts first. */
async function startLater(ready: Promise<unknown>, signal: AbortSignal, start: () => Promise<void>): Promise<void> {
  const aborted = Promise.withResolvers<void>();
  const onAbort = (): void => aborted.resolve();
  if (signal.aborted) return;
  signal.addEventListener("abort", onAbort, { once: true });
  await Promise.race([ready, aborted.promise]);
  signal.removeEventListener("abort", onAbort);
  if (!signal.aborted) await start();
}

/** Starts a controller; its failure fails `/healthz`. */
function watched<C extends ControllerContext>(
  controller: Startable<C>,
  context: C,
  { health, logger, settings }: ManagedControllersOptions<C>,
): Promise<void> {
  logger.info("Starting a controller", { controller: controller.name });
  const work = controller.start(context, settings[controller.name]);
  let failure: unknown;
  const check = (): void => {
    if (failure !== undefined) throw new Error(`controller ${controller.name} has failed`, { cause: failure });
  };
  health.add({ name: controller.name, check }, ["healthz"]);
  return work.catch((error: unknown) => {
    if (context.signal.aborted) return;
    failure = error;
    throw new Error(`controller ${controller.name} failed`, { cause: error });
  });
}

async function contextFor<C extends ControllerContext>(
  { name, eventSource, serviceAccount, usesManagerIdentity }: Startable<C>,
  options: ManagedControllersOptions<C>,
  withTokens: Client | undefined,
  shared: { readonly clock: Clock; readonly informers: InformerFactory; readonly signal: AbortSignal },
): Promise<C> {
  const { client, logger, queueMetrics } = options;
  const controllerLogger = logger.child({ controller: name });
  const userAgent = `${options.userAgent}/${serviceAccount}`;
  const own =
    withTokens === undefined || usesManagerIdentity
      ? client.with({ userAgent })
      : withTokens.with({
          userAgent,
          tokenSource: await serviceAccountTokens(client, serviceAccount, { ...shared, logger }),
        });
  // A separate rate limit: many events must not delay the controllers.
  const recorder = createEventRecorder(own.with({}), {
    component: eventSource,
    logger: controllerLogger,
    signal: shared.signal,
  });
  return options.contextOf({ ...shared, client: own, recorder, queueMetrics, logger: controllerLogger });
}

/**
 * Clients with the tokens of controllers' service accounts (`UseServiceAccountCredentials`). They share the connection: the tokens are in the
 * requests.
 */
function tokenClients({
  client,
  clientConfig: { server, tls },
  logger,
}: Pick<ManagedControllersOptions<ControllerContext>, "client" | "clientConfig" | "logger">): Client {
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
  const { fence, contentTypes } = client;
  return createClient({ server, tls: withoutCertificate, logger, contentTypes, ...(fence && { fence }) });
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
