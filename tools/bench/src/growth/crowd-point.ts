import { setTimeout as sleep } from "node:timers/promises";
import type { TestApiServer } from "@orchernetes/testkit";
import type { FanOutLoad, FanOutOutcome } from "../load/fan-out-load.ts";
import { runLoad, targetOf } from "../load/run-load.ts";
import { longestStallMs } from "../servers/loop-delay.ts";
import { residentMb } from "../servers/memory.ts";

/** What the server does with so many watchers. */
export interface CrowdPoint {
  readonly watchers: number;
  readonly eventsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly residentMb: number;
  readonly stallMs: number;
}

/** Opens watchers, and lets a few writers create until `events` events were delivered. */
export async function measureCrowd(server: TestApiServer, watchers: number, events: number): Promise<CrowdPoint> {
  const load: FanOutLoad = {
    target: targetOf(server),
    watchers,
    writers: 8,
    creates: Math.ceil(events / watchers),
    prefix: `crowd${watchers}`,
  };
  const outcome = await runLoad<FanOutLoad, FanOutOutcome>("fan-out-load", load);
  if (outcome.missing > 0) throw new Error(`${outcome.missing} watch events never came`);
  const stallMs = await longestStallMs(server);
  const resident = residentMb(server.pid);
  // The next crowd is not to share the machine with the end of this one.
  await sleep(2000);
  return {
    watchers,
    eventsPerSecond: outcome.events / outcome.seconds,
    p50Ms: outcome.p50Ms,
    p99Ms: outcome.p99Ms,
    residentMb: resident,
    stallMs,
  };
}
