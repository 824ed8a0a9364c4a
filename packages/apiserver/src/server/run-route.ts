import { handleCustom } from "../handlers/custom.ts";
import type { HandlerEnvironment } from "../handlers/endpoint.ts";
import type { RequestState } from "../http/request-state.ts";
import type { ApiMetrics } from "../interfaces/index.ts";
import type { Route } from "./route.ts";
import { traceHandler } from "./trace-request.ts";

/** Serves a request by its route; in a span of its own if tracing is enabled. */
export function runRoute(environment: HandlerEnvironment, route: Route, state: RequestState): Promise<void> {
  const serve = () => (route.type === "builtin" ? route.serve() : handleCustom({ ...route, state, environment }));
  const { tracer } = environment;
  return tracer === undefined ? serve() : traceHandler(tracer, state.info, serve);
}

/** Counts a request among the long-running ones while `work` lasts. */
export async function countLongRunning(
  metrics: Pick<ApiMetrics, "addLongRunning"> | undefined,
  state: RequestState,
  work: () => Promise<void>,
): Promise<void> {
  metrics?.addLongRunning(state, 1);
  try {
    await work();
  } finally {
    metrics?.addLongRunning(state, -1);
  }
}
