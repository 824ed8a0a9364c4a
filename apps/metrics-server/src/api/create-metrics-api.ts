import { type ApiServer, createApiServer } from "@orchernetes/apiserver";
import { version } from "@orchernetes/component";
import type { DelegatedAccess, HttpResponder } from "@orchernetes/daemon-server";
import type { Clock, Logger } from "@orchernetes/kernel";
import { documentation } from "./documentation.ts";
import { metricsDefinitions } from "./kinds.ts";
import { type MetricsSources, metricsHandlers } from "./metrics-handlers.ts";
import { noStore } from "./no-store.ts";

/** Sources of the API, and who may read it. */
export interface MetricsApiOptions extends MetricsSources {
  readonly access: DelegatedAccess;
  /** Serves the paths that every daemon has. */
  readonly routes: HttpResponder;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/**
 * The metrics API on the generic server: discovery, OpenAPI, tables and errors are those of every API. Nothing is
 * stored.
 */
export function createMetricsApi(options: MetricsApiOptions): ApiServer {
  const { access, routes, clock, logger, signal } = options;
  return createApiServer({
    ...access,
    definitions: metricsDefinitions,
    store: noStore,
    handlers: metricsHandlers(options),
    nonResource: ({ req, res }) => routes(req, res),
    documentation: async () => (schema) =>
      schema.pkg === "metrics/v1beta1" && Object.hasOwn(documentation, schema.name)
        ? documentation[schema.name]
        : undefined,
    version: { ...version },
    clock,
    logger,
    signal,
  });
}
