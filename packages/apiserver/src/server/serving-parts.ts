import { Authentication, Authorization } from "@orchernetes/auth";
import { silentLogger, systemClock, systemEventLoop } from "@orchernetes/kernel";
import { createDiscovery, type Discovery } from "../discovery/discovery.ts";
import { MaxInFlight } from "../filters/max-in-flight.ts";
import type { HandlerEnvironment } from "../handlers/endpoint.ts";
import { WatchPacer } from "../handlers/watch-pacer.ts";
import { SharedBatches } from "../handlers/watch-sender.ts";
import { ChunkPool } from "../http/chunk-pool.ts";
import { Negotiator } from "../http/negotiate.ts";
import { defaultServerFeatures } from "../interfaces/index.ts";
import { defaultLimits } from "../interfaces/server.ts";
import { YamlThread } from "../yaml/yaml-thread.ts";
import { Endings } from "./endings.ts";
import { Gate } from "./gate.ts";
import { createGateSteps } from "./gate-steps.ts";
import { Lifecycle } from "./lifecycle.ts";
import { measuredAuthentication } from "./measured-authentication.ts";
import type { Resources } from "./resources.ts";
import type { ServingOptions } from "./server-options.ts";

/** The parts that requests and upgrades share. */
export interface ServingParts {
  readonly options: ServingOptions;
  readonly lifecycle: Lifecycle;
  readonly gate: Gate;
  readonly environment: HandlerEnvironment;
  readonly discovery: Discovery;
  readonly endings: Endings;
}

/** Builds the stages between the registry and the request path: policy, handlers, discovery. */
export function createServingParts(resources: Resources, options: ServingOptions): ServingParts {
  const authorization = new Authorization(options.authorizers);
  const environment = createEnvironment(resources, authorization, options);
  const lifecycle = new Lifecycle(environment.clock, environment.limits);
  const { clock, features, logger, loop, negotiator } = environment;
  const { metrics, onCompleted } = options;
  return {
    options,
    lifecycle,
    gate: createGate(environment, options),
    environment: { ...environment, ...watchParts(environment, lifecycle) },
    discovery: createDiscovery({
      registry: resources.registry,
      handlers: environment.handlers,
      negotiator,
      aggregator: options.aggregator,
      version: options.version ?? {},
      advertiseAddress: options.advertiseAddress,
      documentation: options.documentation,
      features,
      loop,
    }),
    endings: new Endings({ clock, logger, negotiator, metrics, onCompleted, features }),
  };
}

type WatchParts = Pick<HandlerEnvironment, "watches" | "pacer" | "batches">;

/** The parts that watches share, so that many of them are written in few turns of the event loop. */
function watchParts({ clock, loop }: Pick<HandlerEnvironment, "clock" | "loop">, { watches }: Lifecycle): WatchParts {
  const batches = new SharedBatches();
  const pacer = new WatchPacer({ clock, loop, size: () => watches.size, onRest: () => batches.clear() });
  return { watches, batches, pacer };
}

/** The parts that handlers share, except those of watches. */
function createEnvironment(
  { registry, admission }: Resources,
  authorization: Authorization,
  options: ServingOptions,
): Omit<HandlerEnvironment, keyof WatchParts> {
  const yaml = new YamlThread();
  options.signal.addEventListener("abort", () => void yaml.close(), { once: true });
  return {
    registry,
    negotiator: new Negotiator(),
    admission,
    authorization,
    handlers: options.handlers ?? {},
    limits: { ...defaultLimits, ...options.limits },
    clock: options.clock ?? systemClock,
    loop: options.loop ?? systemEventLoop,
    logger: options.logger ?? silentLogger,
    metrics: options.metrics,
    tracer: options.tracer,
    chunks: new ChunkPool(),
    yaml,
    deleteCollectionWorkers: options.deleteCollectionWorkers ?? 1,
    writeCondition: options.writeCondition,
    features: { ...defaultServerFeatures, ...options.features },
  };
}

/** The gate of requests, measured if there are metrics. */
function createGate(
  { authorization, registry, limits, logger, loop }: Omit<HandlerEnvironment, keyof WatchParts>,
  options: ServingOptions,
): Gate {
  const { metrics, aggregator, handlers, flowControl } = options;
  const plain = new Authentication({
    authenticators: options.authenticators,
    anonymous: options.anonymousAuth ?? true,
    logger,
  });
  const inFlight = new MaxInFlight({
    readOnly: limits.maxRequestsInflight,
    mutating: limits.maxMutatingRequestsInflight,
    metrics,
  });
  const authentication = metrics === undefined ? plain : measuredAuthentication(plain, metrics);
  const steps = createGateSteps({
    authentication,
    authorization,
    inFlight,
    registry,
    loop,
    ...(flowControl === undefined ? {} : { flowControl }),
  });
  return new Gate(steps, { aggregator, handlers }, metrics);
}
