import {
  createPprofHandler,
  type Health,
  type Metrics,
  metricsContentType,
  type PprofOptions,
  respond,
} from "@orchernetes/component";
import type { HttpHandler } from "@orchernetes/kernel";
import { createExpressApp, type HttpResponder, middleware } from "./express-app.ts";
import { expressHandler, expressResponder } from "./express-handler.ts";

/** The paths of a daemon other than the API server. */
export interface DaemonRoutes {
  readonly health: Health;
  readonly metrics: Metrics;
  /** Serves profiles under `/debug/pprof/`; undefined: `--profiling=false`. */
  readonly profiling?: PprofOptions | undefined;
  /** Further paths, by exact path. */
  readonly paths?: Readonly<Record<string, HttpHandler>>;
}

/**
 * Routes `/healthz`, `/livez` and `/readyz` with their checks, `/metrics`, profiles and the given paths; 404 for all
 * others. Paths are compared exactly, and every method is accepted, as in upstream. Authorization is up to the caller.
 *
 * @throws what a handler throws; the caller logs it and responds 500
 */
export function daemonRoutes(routes: DaemonRoutes): HttpHandler {
  return expressHandler(daemonApp(routes));
}

/** Like {@link daemonRoutes}, for a server that has other paths as well: resolves to false for those. */
export function daemonResponder(routes: DaemonRoutes): HttpResponder {
  return expressResponder(daemonApp(routes));
}

function daemonApp({ health, metrics, profiling, paths = {} }: DaemonRoutes): ReturnType<typeof createExpressApp> {
  const app = createExpressApp();
  app.use(middleware((request, response) => health.handle(request, response)));
  app.all("/metrics", (request, response) =>
    respond(request, response, 200, { "content-type": metricsContentType }, metrics.render()),
  );
  if (profiling !== undefined) app.use(middleware(createPprofHandler(profiling)));
  for (const [path, handler] of Object.entries(paths)) app.all(path, (request, response) => handler(request, response));
  return app;
}
