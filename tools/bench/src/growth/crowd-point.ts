import { setTimeout as sleep } from "node:timers/promises";
import type { TestApiServer } from "@orchernetes/testkit";
import type { FanOutLoad, FanOutOutcome } from "../load/fan-out-load.ts";
import { runLoad, targetOf } from "../load/run-load.ts";
import { longestStallMs } from "../servers/loop-delay.ts";

/** The figures of a server with a number of watchers. */
export interface CrowdPoint {
  readonly watchers: number;
  readonly eventsPerSecond: number;
  /** CPU time of the server per delivered event in microseconds, including the creates. */
  readonly cpuMicros: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly residentMb: number;
  /** The longest stalls of the event loop while all watchers connect, receive events, and disconnect at the same time. */
  readonly stallsMs: { readonly open: number; readonly events: number; readonly leave: number };
}

/**
 * Events per second for all watchers together. The load decrypts them on one thread; at its limit the load would be measured instead
 * of the server.
 */
export const CROWD_EVENTS_PER_SECOND = 40_000;

/** Opens watchers, and has a few writers create objects until `events` events have been delivered. */
export async function measureCrowd(server: TestApiServer, watchers: number, events: number): Promise<CrowdPoint> {
  const load: FanOutLoad = {
    target: targetOf(server),
    watchers,
    writers: 8,
    creates: Math.ceil(events / watchers),
    prefix: `crowd${watchers}`,
    eventsPerSecond: CROWD_EVENTS_PER_SECOND,
    observed: true,
  };
  const outcome = await runLoad<FanOutLoad, FanOutOutcome>("fan-out-load", load);
  if (outcome.missing > 0) throw new Error(`${outcome.missing} watch events were not delivered`);
  if (outcome.server === undefined) throw new Error("the load did not read the figures of the server");
  const { opened, delivered } = outcome.server;
  // The watches end with the load; the next measurement must not share the machine with that.
  await sleep(2000);
  return {
    watchers,
    eventsPerSecond: outcome.events / outcome.seconds,
    cpuMicros: ((delivered.cpuSeconds - opened.cpuSeconds) * 1e6) / outcome.events,
    p50Ms: outcome.p50Ms,
    p99Ms: outcome.p99Ms,
    residentMb: delivered.residentMb,
    stallsMs: { open: opened.stallMs, events: delivered.stallMs, leave: await longestStallMs(server) },
  };
}
