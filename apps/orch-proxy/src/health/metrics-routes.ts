import { createHealth, type Metrics, pingCheck, respond } from "@orchernetes/component";
import { daemonRoutes } from "@orchernetes/daemon-server";
import type { HttpHandler, Logger } from "@orchernetes/kernel";

/** What the port of the metrics serves. */
export interface MetricsPages {
  readonly metrics: Metrics;
  /** The mode that is in force, for `/proxyMode`. */
  readonly mode: string;
  /** The configuration in force, for `/configz`. */
  readonly configuration: object;
  /** Whether profiles are served. */
  readonly profiling: boolean;
  readonly logger: Logger;
}

/** The pages of the port of the metrics: `/metrics`, `/healthz`, `/proxyMode`, `/configz`, and `/debug/pprof/` on request. */
export function metricsRoutes({ metrics, mode, configuration, profiling, logger }: MetricsPages): HttpHandler {
  const page =
    (type: string, body: string): HttpHandler =>
    (request, response) =>
      respond(request, response, 200, { "content-type": type, "x-content-type-options": "nosniff" }, body);
  return daemonRoutes({
    health: createHealth({ logger, metrics, healthz: [pingCheck] }),
    metrics,
    profiling: profiling ? {} : undefined,
    paths: {
      "/proxyMode": page("text/plain; charset=utf-8", mode),
      "/configz": page("application/json", JSON.stringify({ "orchproxy.config.o8s.io": configuration })),
    },
  });
}
