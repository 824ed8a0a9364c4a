import { setTimeout as sleep } from "node:timers/promises";
import type { TestApiServer } from "@orchernetes/testkit";
import type { FanOutLoad, FanOutOutcome } from "../load/fan-out-load.ts";
import { runLoad, targetOf } from "../load/run-load.ts";
import { longestStallMs } from "../servers/loop-delay.ts";

/** What the server does with so many watchers. */
export interface CrowdPoint {
  readonly watchers: number;
  readonly eventsPerSecond: number;
  /** CPU time of the server for each event that a watcher got, in microseconds; the creates are in it. */
  readonly cpuMicros: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly residentMb: number;
  /** The longest stall of the event loop while all connect and begin to watch, get events, and go away at once. */
  readonly stallsMs: { readonly open: number; readonly events: number; readonly leave: number };
}

/**
 * Events that each crowd is to get in a second. The load decrypts them all on one thread: at its own limit it would be measured
 * instead of the server, and the more so the more watchers there are.
 */
export const CROWD_EVENTS_PER_SECOND = 40_000;

/** Opens watchers, and lets a few writers create until `events` events were delivered. */
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
  if (outcome.missing > 0) throw new Error(`${outcome.missing} watch events never came`);
  if (outcome.server === undefined) throw new Error("the load did not look at the server");
  const { opened, delivered } = outcome.server;
  // The end of the load is what ends all watches; the next crowd is not to share the machine with that.
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
