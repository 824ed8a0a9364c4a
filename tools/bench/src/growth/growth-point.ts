import { setTimeout as sleep } from "node:timers/promises";
import type { TestApiServer } from "@orchernetes/testkit";
import { copyPods } from "../load/copy-pods.ts";
import type { CreateLoad, CreateOutcome } from "../load/create-load.ts";
import type { FanOutLoad, FanOutOutcome } from "../load/fan-out-load.ts";
import type { GetLoad, GetOutcome } from "../load/get-load.ts";
import { collectionPath } from "../load/objects.ts";
import { runLoad, targetOf } from "../load/run-load.ts";
import { longestStallMs } from "../servers/loop-delay.ts";
import { residentMb } from "../servers/memory.ts";

/** The figures of a server with a number of pods. */
export interface GrowthPoint {
  readonly pods: number;
  readonly createsPerSecond: number;
  readonly listMs: number;
  readonly listMb: number;
  readonly byLabelMs: number;
  readonly watchEventsPerSecond: number;
  readonly watchP99Ms: number;
  readonly residentMb: number;
  /** From the start of the process to /readyz with a store that has these pods. */
  readonly restartSeconds: number;
  /** The first LIST after that, which waits until the cache is ready. */
  readonly firstListMs: number;
  /** The longest stall of the event loop during each kind of work. */
  readonly stallsMs: { readonly create: number; readonly list: number; readonly watch: number; readonly fill: number };
}

/** Bytes that give pods the size of those of the other rows. */
const POD_PADDING = 60;
/** Pods that are created by requests at each point; in etcd, the others are copies that are written to the store. */
const MOST_CREATED = 1000;

/** The amount of work at each point. */
export interface PointLoad {
  readonly watchers: number;
  readonly creates: number;
}

/** Increases the number of pods from `from` to `to`, and measures the server with them. */
export async function measurePoint(
  server: TestApiServer,
  from: number,
  to: number,
  { watchers, creates }: PointLoad,
): Promise<GrowthPoint> {
  const target = targetOf(server);
  const path = collectionPath("pod");
  await longestStallMs(server);
  const listOnce = (query: string, timesEach: number) =>
    runLoad<GetLoad, GetOutcome>("get-load", { target, path: `${path}${query}`, connections: 1, timesEach });
  const created = server.etcd === undefined ? to - from : Math.min(MOST_CREATED, to - from);
  const shared = { target, kind: "pod", padBytes: POD_PADDING } as const;
  if (to - from > created) {
    const model: CreateLoad = { ...shared, connections: 1, prefix: `model${to}`, count: 1 };
    await runLoad<CreateLoad, CreateOutcome>("create-load", model);
    await copyPods(server, `${model.prefix}-0`, `copy${to}`, to - from - created - 1);
    // Waits until the server's cache has them all.
    await listOnce("?limit=1", 1);
    await longestStallMs(server);
  }
  const fill: CreateLoad = { ...shared, connections: 16, prefix: `p${to}`, count: created };
  const filled = await runLoad<CreateLoad, CreateOutcome>("create-load", fill, 600_000);
  const create = await longestStallMs(server);
  await sleep(1000);

  await longestStallMs(server);
  const listed = await listOnce("", 5);
  const byLabel = await listOnce("?labelSelector=tier%3Dt3", 5);
  const list = await longestStallMs(server);

  const fan: FanOutLoad = { target, watchers, writers: 8, creates, prefix: `fan${to}` };
  const fanned = await runLoad<FanOutLoad, FanOutOutcome>("fan-out-load", fan);
  if (fanned.missing > 0) throw new Error(`${fanned.missing} watch events were not delivered`);
  const watch = await longestStallMs(server);

  await sleep(3000);
  const resident = residentMb(server.pid);
  await server.restart();
  const restartSeconds = server.readyAfterMs / 1000;
  const first = await listOnce("", 1);
  return {
    pods: to,
    createsPerSecond: filled.created / filled.seconds,
    listMs: listed.medianMs,
    listMb: listed.bodyBytes / 1e6,
    byLabelMs: byLabel.medianMs,
    watchEventsPerSecond: fanned.events / fanned.seconds,
    watchP99Ms: fanned.p99Ms,
    residentMb: resident,
    restartSeconds,
    firstListMs: first.medianMs,
    stallsMs: { create, list, watch, fill: await longestStallMs(server) },
  };
}
