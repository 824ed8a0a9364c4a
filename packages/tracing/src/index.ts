/**
 * Spans of what a daemon does, sent to a collector over OTLP, as data of OpenTelemetry.
 *
 * - {@link startTracing} starts to record and send; only daemons whose configuration asks for it call it.
 * - {@link tracedHandler} records a span per request.
 *
 * @example
 * ```ts
 * const tracer = await startTracing({ service: "orchlet", configuration, logger, signal });
 * const handler = tracedHandler(tracer, "orchlet", served);
 * ```
 *
 * @module
 */
export { startTracing, type TracingOptions } from "./start-tracing.ts";
export { tracedHandler } from "./traced-handler.ts";
export type { Tracer } from "./tracer.ts";
