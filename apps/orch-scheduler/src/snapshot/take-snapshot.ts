import type { core } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import type { NominatedPods } from "../cache/nominated-pods.ts";
import type { SchedulerCache } from "../cache/scheduler-cache.ts";
import type { SchedulerConfiguration } from "../config/scheduler-configuration.ts";
import type { ExtenderAttempt } from "../extender/exchange.ts";
import { shownAddress } from "../extender/shown-address.ts";
import {
  SNAPSHOT_VERSION,
  type Snapshot,
  type SnapshotExtender,
  type SnapshotObjects,
  type SnapshotQueueEntry,
} from "./snapshot.ts";

/** The state that a snapshot is taken of. */
export interface SnapshotSource {
  readonly configuration: Pick<SchedulerConfiguration, "profiles" | "percentageOfNodesToScore" | "extenders">;
  /** The feature gates that have an effect. */
  readonly featureGates: Readonly<Record<string, boolean>>;
  /** What extenders answered. */
  readonly attempts: readonly ExtenderAttempt[];
  readonly cache: SchedulerCache;
  readonly nominated: NominatedPods;
  readonly start: number;
  /** State of the random numbers. */
  readonly seed: number;
  /** Pods without a node. */
  readonly pending: readonly Stored<core.Pod>[];
  readonly queue: readonly SnapshotQueueEntry[];
  readonly objects: SnapshotObjects;
  readonly time: Date;
}

function snapshotExtender(extender: SchedulerConfiguration["extenders"][number]): SnapshotExtender {
  const { urlPrefix, filterVerb, prioritizeVerb, preemptVerb, bindVerb, weight, nodeCacheCapable, ignorable } =
    extender;
  return {
    urlPrefix: shownAddress(urlPrefix),
    filterVerb,
    prioritizeVerb,
    preemptVerb,
    bindVerb,
    weight,
    nodeCacheCapable,
    ignorable,
    managedResources: extender.managedResources,
  };
}

/**
 * Takes a snapshot in one turn of the event loop, so that its parts belong together. It refers to the objects, which are
 * never modified, so that this takes milliseconds also with many pods.
 */
export function takeSnapshot(source: SnapshotSource): Snapshot {
  const { cache, nominated, configuration, featureGates, attempts } = source;
  const { start, seed, pending, queue, objects, time } = source;
  const { nodes, free } = cache.nodes.layout;
  const uids = new Set(pending.map(({ metadata }) => metadata.uid));
  const placed: { node: string; pod: Stored<core.Pod> }[] = [];
  for (const [node, pods] of cache.nodes.placedPods()) for (const { pod } of pods) placed.push({ node, pod });
  return {
    kind: "SchedulerSnapshot",
    version: SNAPSHOT_VERSION,
    time: time.toISOString(),
    configuration: {
      profiles: configuration.profiles,
      percentageOfNodesToScore: configuration.percentageOfNodesToScore,
      featureGates,
    },
    extenders: configuration.extenders.map(snapshotExtender),
    attempts: attempts.filter(({ uid }) => uids.has(uid)),
    start,
    seed,
    nodes: nodes.map((node) => (node as Stored<core.Node> | undefined) ?? null),
    freeSlots: free,
    placed,
    assumed: cache.assumedKeys,
    nominated: nominated.all.map(({ node, info }) => ({ node, pod: info.pod })),
    pending,
    queue,
    ...objects,
  };
}
