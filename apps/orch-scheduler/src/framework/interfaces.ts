import type { core } from "@orchernetes/api";
import type { NodeTable } from "../cache/node-table.ts";
import type { Nominations } from "../cache/nominated-pods.ts";
import type { PodInfo } from "../cache/pod-info.ts";
import type { QueueingHint } from "./cluster-change.ts";
import type { Refusal } from "./explain-refusal.ts";
import type { Profile } from "./profile.ts";
import type { Shortfall } from "./shortfall.ts";

/**
 * Changes in the cluster that can make an unschedulable pod schedulable. A bit set: a pod waits for the union of the
 * events of the plugins that rejected it, and an event is compared with one operation.
 */
export const ClusterEvent = {
  NodeAdded: 1,
  NodeAllocatable: 2,
  NodeLabels: 4,
  NodeTaints: 8,
  /** A pod left its node, or no longer counts there. */
  PodDeleted: 16,
  /** A pod was added to a node, or one there changed its labels. */
  PodAdded: 32,
  /** A claim appeared or changed. */
  Claim: 64,
  /** A namespace appeared or changed its labels. */
  Namespace: 128,
  /** A node was removed, with its pods. */
  NodeDeleted: 256,
  /** A persistent volume appeared or changed. */
  PersistentVolume: 512,
  /** A storage class appeared or changed. */
  StorageClass: 1024,
  /** A CSINode appeared or changed. */
  CsiNode: 2048,
  /** A CSIDriver appeared or changed. */
  CsiDriver: 4096,
  /** A CSIStorageCapacity appeared or changed. */
  CsiStorageCapacity: 8192,
} as const;
export type ClusterEvents = number;

/** Why a node is rejected. */
export interface Reason {
  /** Text after a number of nodes, such as `Insufficient cpu`. */
  readonly text: string;
  /** Whether evicting pods from the node could change the result. */
  readonly evictionHelps: boolean;
}

/**
 * A check of one pod against nodes, prepared once per pod. Returns 0 if the node passes, otherwise the index in
 * `reasons` plus one. Called for many nodes: it must not allocate.
 */
export interface NodeFilter {
  readonly check: (slot: number) => number;
  readonly reasons: readonly Reason[];
  /** Every reason for a rejected node, where there can be several; called only to explain. Absent: the result of `check`. */
  readonly checkAll?: (slot: number) => readonly number[];
  /** What a rejected node lacks; called only to explain, so it may be slow. Absent: there is nothing to add to the reasons. */
  readonly shortfalls?: (slot: number) => readonly Shortfall[];
}

/** No node fits: the whole pod is rejected, with a separate reason. */
export interface PodRejection {
  readonly rejected: string;
}

/**
 * Extension points PreFilter and Filter. `prepare` is called once per scheduling cycle, on the current table. It
 * returns undefined if every node passes; the plugin is then skipped, so that pods that do not use a feature pay
 * nothing for it.
 */
export interface FilterPlugin {
  readonly name: string;
  /** Events that can change a rejection by this plugin. */
  readonly events: ClusterEvents;
  /** Which changes of these can. @default any of them */
  readonly hint?: QueueingHint;
  prepare(pod: PodInfo, nodes: NodeTable): NodeFilter | PodRejection | undefined;
}

/** Something that was assumed for a pod on its node, and that has to be written before the pod is bound. */
export interface Reservation {
  /** Writes what was reserved. Resolves when the pod may be bound. Rejects if it must be scheduled again. */
  preBind(signal: AbortSignal): Promise<void>;
  /** Ends the assumption, after a failure. Synchronous and idempotent. */
  unreserve(): void;
}

/** Extension points Reserve and PreBind. */
export interface ReservePlugin {
  readonly name: string;
  /**
   * Called when a node was chosen, in the same turn, so that the next decision takes the reservation into account.
   * Returns undefined if the pod needs none. @throws Error if the reservation is not possible
   */
  reserve(pod: PodInfo, node: core.Node): Reservation | undefined;
}

/** Writes a score from 0 to 100 for each of `slots` to the same place of `scores`, which arrives filled with 0. */
export type NodeScore = (slots: Int32Array, scores: Float64Array) => void;

/** Extension points PreScore and Score. `prepare` returns undefined when the plugin prefers no node to another. */
export interface ScorePlugin {
  readonly name: string;
  prepare(pod: PodInfo, nodes: NodeTable): NodeScore | undefined;
}

/** A score plugin with its weight in a profile. */
export interface WeightedScore {
  readonly plugin: ScorePlugin;
  readonly weight: number;
}

/** Result of a post-filter plugin. */
export type PostFilterResult =
  /** The pod is nominated for this node, and the victims are to be evicted from it. */
  | { readonly type: "nominate"; readonly node: string; readonly victims: readonly PodInfo[] }
  /** Nothing can be done, and why. An earlier nomination is revoked unless it is to be kept. */
  | { readonly type: "none"; readonly message: string; readonly keepNomination: boolean };

/** An unschedulable pod, with the cluster as the decision saw it. */
interface SchedulingFailure {
  readonly pod: PodInfo;
  /** The node the pod is nominated for; "" if none. */
  readonly nominatedNode: string;
  /** Nominated pods that room must be left for. */
  readonly nominations: Nominations;
  readonly nodes: NodeTable;
  readonly profile: Profile;
  readonly refusal: Refusal;
}

/** Extension point PostFilter: called for a pod that fits no node. It must leave the table unchanged. */
export interface PostFilterPlugin {
  readonly name: string;
  run(failure: SchedulingFailure): PostFilterResult;
}

/** Highest score of a plugin. */
export const MAX_SCORE = 100;

/** A reason that no eviction changes. */
export const lasting = (text: string): Reason => ({ text, evictionHelps: false });

/** A reason that evicting pods may change. */
export const evictable = (text: string): Reason => ({ text, evictionHelps: true });
