/**
 * The lowest package, which every other one may import: time, the event loop and logging as values that are passed in, the HTTP
 * types that servers share, jobs in the order of their keys, the text of an error of unknown type, and the check that a switch handles every member of a union.
 * It imports no other package of the workspace.
 *
 * - Time: code takes a {@link Clock} ({@link systemClock} in daemons, {@link FakeClock} in tests) and never calls `Date.now` or
 *   `setTimeout` itself. All delays are in milliseconds.
 * - The event loop: work that may take longer than a few milliseconds is divided into turns by a {@link TaskLane}, a
 *   {@link WorkSet} or {@link inTurns}, because no request is served while a turn runs.
 * - Logging: a {@link Logger} is an option of whatever logs; {@link silentLogger} is the default of libraries.
 *
 * @example
 * ```ts
 * import { FakeClock } from "@orchernetes/kernel";
 *
 * const clock = new FakeClock("2023-06-01T00:00:00Z");
 * clock.setTimeout(() => console.log("a minute has passed"), 60_000);
 * clock.advance(60_000);
 * ```
 *
 * @module
 */
export { assertNever } from "./assert-never.ts";
export { type Clock, sleepOn, systemClock, type Timer } from "./clock.ts";
export { type Connection, connectionOf, type OnConnection, tlsSocketOf } from "./connection.ts";
export { type Dialer, type DialTarget, targetText } from "./dialer.ts";
export { type EventLoop, systemEventLoop } from "./event-loop/event-loop.ts";
export { FakeEventLoop } from "./event-loop/fake-event-loop.ts";
export { type InterruptibleSteps, LongWork } from "./event-loop/long-work.ts";
export { OwnTurns } from "./event-loop/own-turns.ts";
export { atOnce, inTurns } from "./event-loop/steps.ts";
export { TaskLane } from "./event-loop/task-lane.ts";
export { defaultTurnBudget, type TurnBudget } from "./event-loop/turn-budget.ts";
export { WorkSet, type WorkSetOptions } from "./event-loop/work-set.ts";
export { FakeClock } from "./fake-clock.ts";
export { hardenHttp2Clients } from "./harden-http2-clients.ts";
export { type HttpHandler, type HttpRequest, type HttpResponse, isGone } from "./http.ts";
export { KeyedQueue } from "./keyed-queue.ts";
export { readLimitedFile, readStateBytes } from "./limited-file.ts";
export { type Logger, type LogValues, silentLogger } from "./logger.ts";
export { messageOf } from "./message-of.ts";
export { onAbort } from "./on-abort.ts";
