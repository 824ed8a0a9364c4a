/**
 * Spans of what a daemon does, sent to a collector over OTLP, as data of OpenTelemetry.
 *
 * - {@link startTracing} starts to record and send; only daemons whose configuration asks for it call it.
 * - {@link tracedHandler} records a span per request.
 *
 * @example
 * ```ts
 * import type { HttpHandler } from "@orchernetes/kernel";
 * import { startTracing, tracedHandler, type TracingOptions } from "@orchernetes/tracing";
 *
 * async function traced(options: TracingOptions, served: HttpHandler): Promise<HttpHandler> {
 *   const tracer = await startTracing(options);
 *   return tracedHandler(tracer, options.service, served);
 * }
 * ```
 *
 * @module
 */
export { startTracing, type TracingOptions } from "./start-tracing.ts";
export { tracedHandler } from "./traced-handler.ts";
export type { Tracer } from "./tracer.ts";
