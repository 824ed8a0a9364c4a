/**
 * What every other package stands on: time, the event loop and logging as values that are passed in, the HTTP types, and the
 * check that a switch has a case for every member of a union.
 * Nothing here imports another package of the workspace.
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
export { assertNever } from "./assert-never.ts";
export { type Clock, sleepOn, systemClock, type Timer } from "./clock.ts";
export { type Connection, connectionOf, type OnConnection, tlsSocketOf } from "./connection.ts";
export { type EventLoop, systemEventLoop } from "./event-loop/event-loop.ts";
export { FakeEventLoop } from "./event-loop/fake-event-loop.ts";
export { OwnTurns } from "./event-loop/own-turns.ts";
export { atOnce, inTurns } from "./event-loop/steps.ts";
export { TaskLane } from "./event-loop/task-lane.ts";
export { defaultTurnBudget, type TurnBudget } from "./event-loop/turn-budget.ts";
export { WorkSet, type WorkSetOptions } from "./event-loop/work-set.ts";
export { FakeClock } from "./fake-clock.ts";
export { type HttpHandler, type HttpRequest, type HttpResponse, isGone } from "./http.ts";
export { type Logger, type LogValues, silentLogger } from "./logger.ts";
