/**
 * What every other package stands on: time and logging as values that are passed in. Nothing here imports another package
 * of the workspace.
 *
 * @example
 * ```ts
 * const clock = new FakeClock("2023-06-01T00:00:00Z");
 * clock.setTimeout(() => logger.info("a minute has passed"), 60_000);
 * clock.advance(60_000);
 * ```
 *
 * @module
 */
export { type Clock, sleepOn, systemClock, type Timer } from "./clock.ts";
export { type Connection, connectionOf, type OnConnection, tlsSocketOf } from "./connection.ts";
export { FakeClock } from "./fake-clock.ts";
export { type HttpHandler, type HttpRequest, type HttpResponse, isGone } from "./http.ts";
export { type Logger, type LogValues, silentLogger } from "./logger.ts";
