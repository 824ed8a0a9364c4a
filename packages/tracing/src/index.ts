/**
 * Records what a daemon does as OpenTelemetry spans, and sends them to a collector over OTLP.
 *
 * - {@link startTracing} starts recording and sending. Daemons call it only if tracing is configured.
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
