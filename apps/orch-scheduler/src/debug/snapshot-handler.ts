import { once } from "node:events";
import type { core } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import { type Clock, type EventLoop, type HttpHandler, type HttpResponse, isGone } from "@orchernetes/kernel";
import type { SchedulerConfiguration } from "../config/scheduler-configuration.ts";
import type { AttemptRecords } from "../extender/attempt-records.ts";
import type { SchedulingQueue } from "../queue/scheduling-queue.ts";
import type { RandomNumbers } from "../random-numbers.ts";
import type { SchedulerView } from "../scheduler.ts";
import type { SnapshotObjects } from "../snapshot/snapshot.ts";
import { snapshotText } from "../snapshot/snapshot-text.ts";
import { takeSnapshot } from "../snapshot/take-snapshot.ts";
import { answerError, isRead } from "./answer.ts";
import { queueState } from "./explain-handler.ts";

/** The path of the scheduler's state. */
export const SNAPSHOT_PATH = "/debug/snapshot";

/** What a snapshot is taken of. */
export interface SnapshotState {
  readonly isSynced: () => boolean;
  readonly configuration: Pick<SchedulerConfiguration, "profiles" | "percentageOfNodesToScore" | "extenders">;
  /** The feature gates that have an effect. */
  readonly featureGates: Readonly<Record<string, boolean>>;
  /** What extenders answered. */
  readonly attempts: Pick<AttemptRecords, "all">;
  /** All pods that have not ended. */
  readonly pods: () => readonly Stored<core.Pod>[];
  readonly queue: Pick<SchedulingQueue, "get">;
  readonly view: () => SchedulerView;
  readonly objects: () => SnapshotObjects;
  readonly random: RandomNumbers;
  readonly clock: Clock;
  readonly loop: EventLoop;
}

/** Time in which text is written in one turn of the event loop, in milliseconds. */
const SLICE_MS = 5;

function snapshotOf(state: SnapshotState) {
  const { cache, nominated, start } = state.view();
  const nowMs = state.clock.monotonicMs();
  const pending = state
    .pods()
    .filter(({ spec, metadata }) => !spec.nodeName && cache.assumedNode(keyOf(metadata), metadata.uid) === undefined);
  const queue = pending
    .flatMap(({ metadata }) => state.queue.get(keyOf(metadata)) ?? [])
    .sort((a, b) => a.order - b.order)
    .map((queued) => ({ pod: queued.info.key, ...queueState(queued, nowMs) }));
  return takeSnapshot({
    configuration: state.configuration,
    featureGates: state.featureGates,
    attempts: state.attempts.all,
    cache,
    nominated,
    start,
    seed: state.random.state,
    pending,
    queue,
    objects: state.objects(),
    time: state.clock.now(),
  });
}

const keyOf = ({ namespace = "", name }: Stored<core.Pod>["metadata"]): string => `${namespace}/${name}`;

/** Writes pieces as fast as the client reads them, and yields to the event loop between them. */
async function writePieces(response: HttpResponse, pieces: Iterable<string>, loop: EventLoop): Promise<void> {
  let sliceStart = loop.nowMs();
  for (const piece of pieces) {
    if (isGone(response)) return;
    if (!response.write(piece)) {
      const over = new AbortController();
      const end = () => over.abort();
      response.once("close", end);
      await once(response, "drain", { signal: over.signal }).catch(() => undefined);
      response.off("close", end);
    }
    if (loop.nowMs() - sliceStart < SLICE_MS) continue;
    await loop.nextTurn();
    sliceStart = loop.nowMs();
  }
  response.end();
}

/**
 * Handles `GET /debug/snapshot`: the state that decisions depend on, as one JSON object. One at a time: 429 meanwhile, 503
 * before the caches are complete.
 */
export function snapshotHandler(state: SnapshotState): HttpHandler {
  let busy = false;
  return async (request, response) => {
    if (!isRead(request, response)) return;
    if (!state.isSynced()) {
      answerError(request, response, 503, "the scheduler has not listed the cluster yet; try again");
      return;
    }
    if (busy) {
      answerError(request, response, 429, "a snapshot is being written; try again");
      return;
    }
    busy = true;
    try {
      response.writeHead(200, {
        "content-type": "application/json",
        "x-content-type-options": "nosniff",
        "cache-control": "no-store",
      });
      if (request.method === "HEAD") response.end();
      else await writePieces(response, snapshotText(snapshotOf(state)), state.loop);
    } finally {
      busy = false;
    }
  };
}
