import type { core } from "@orchernetes/api";
import type { NodeTable } from "../cache/node-table.ts";
import type { Nominations } from "../cache/nominated-pods.ts";
import type { PodInfo } from "../cache/pod-info.ts";
import type { Candidate } from "./candidate.ts";
import type { QueueingHint } from "./cluster-change.ts";
import type { CycleState } from "./cycle-state.ts";
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
  /**
   * Updates the check after a pod was added to a node of the table (1) or removed from it (-1). `"unaffected"`: `check` reads
   * pods only from the table, or not at all. Preemption removes pods of one node and adds them again, to find out which of them
   * must be evicted, and restores the state at the end. A filter that is skipped for a pod must also be skipped if there are
   * fewer pods. @default the filter is prepared again
   */
  readonly podChanged?: "unaffected" | ((slot: number, info: PodInfo, sign: 1 | -1) => void);
  /**
   * `podChanged` for several pods that are alike: in namespace, labels, requests and host ports, and without affinity. A negative count
   * removes them. With it, preemption does not try each of them separately. @default `podChanged` is called for each pod
   */
  readonly podsChanged?: (slot: number, example: PodInfo, count: number) => void;
  /**
   * Whether amounts (`podCount`, the columns and host ports) are all that `check` reads about pods in the table. Preemption can
   * then try pods on a node without moving them in the table, which takes a tenth of the time.
   * @default false
   */
  readonly readsAmountsOnly?: boolean;
  /** All reasons why a node is rejected, if there can be several; called only by `explain`. @default the result of `check` */
  readonly checkAll?: (slot: number) => readonly number[];
  /** What a rejected node lacks; called only by `explain`, so it may be slow. @default the reasons say everything */
  readonly shortfalls?: (slot: number) => readonly Shortfall[];
}

/** No node fits: the whole pod is rejected, with a separate reason. */
export interface PodRejection {
  readonly rejected: string;
}

/**
 * The base of all plugins. A plugin implements the methods of any number of extension points, and is called at those at which
 * its profile enables it. Methods are synchronous unless they return a promise, and must not keep a reference to `nodes`.
 */
export interface Plugin {
  /** Unique in a profile; the name in configurations and messages. */
  readonly name: string;
  /** Events that can change a rejection by this plugin. @default every event */
  readonly events?: ClusterEvents;
  /** Which changes of these events can change a rejection. @default all of them */
  readonly hint?: QueueingHint;
  /**
   * Whether adding another pod to a node can change the filter for `pod` in ways that `podChanged` does not handle, or make a
   * skipped filter necessary. Filters are then prepared again for a node with that pod.
   * @default true
   */
  readonly outdatedBy?: (pod: PodInfo, added: PodInfo) => boolean;
}

/** A pending pod, as QueueSort plugins see it. */
export interface QueuedPodInfo {
  readonly info: PodInfo;
  /** Started attempts. */
  readonly attempts: number;
  /** When it was first added to the queue, by the monotonic clock. */
  readonly arrivedMs: number;
  /** Smaller for pods that were added, or whose last attempt failed, earlier. */
  readonly order: number;
}

/** Extension point PreEnqueue. */
export interface PreEnqueuePlugin extends Plugin {
  /**
   * Whether a pod may be scheduled now: undefined, or why it has to wait. Called when the pod is created, updated or becomes active
   * again, when one of the plugin's events occurs, and every 30 s once it has waited for
   * `--pod-max-in-unschedulable-pods-duration`.
   */
  preEnqueue(pod: PodInfo): string | undefined;
}

/** Extension point QueueSort: every profile has the same one plugin. */
export interface QueueSortPlugin extends Plugin {
  /** Whether `a` is scheduled before `b`. A strict order that does not change while both wait. */
  less(a: QueuedPodInfo, b: QueuedPodInfo): boolean;
}

/**
 * Result of a pre-filter plugin: undefined goes on; `skip` leaves out the plugin's Filter in this cycle; `nodeNames` are
 * the only nodes that may fit.
 */
export type PreFilterResult = undefined | "skip" | PodRejection | { readonly nodeNames: ReadonlySet<string> };

/** Extension point PreFilter: called once for each scheduling cycle, before all filters. */
export interface PreFilterPlugin extends Plugin {
  preFilter(pod: PodInfo, nodes: NodeTable, state: CycleState): PreFilterResult;
}

/**
 * Extension point Filter. `filter` prepares the check of one pod. It returns undefined if every node passes, so that pods
 * that do not use a feature pay nothing for it.
 */
export interface FilterPlugin extends Plugin {
  filter(pod: PodInfo, nodes: NodeTable, state: CycleState): NodeFilter | PodRejection | undefined;
}

/** Result of a post-filter plugin. */
export type PostFilterResult =
  /** The pod is nominated for this node, and the victims are to be evicted from it. */
  | { readonly type: "nominate"; readonly node: string; readonly victims: readonly PodInfo[] }
  /** Nothing can be done, and why. An earlier nomination is revoked unless it is to be kept. */
  | { readonly type: "none"; readonly message: string; readonly keepNomination: boolean };

/** An unschedulable pod, with the cluster as the decision saw it. */
export interface SchedulingFailure {
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
export interface PostFilterPlugin extends Plugin {
  postFilter(failure: SchedulingFailure): PostFilterResult;
  /**
   * As `postFilter`, with extenders that choose among the candidates of a preemption.
   * @default extenders are not asked
   */
  postFilterWith?(
    failure: SchedulingFailure,
    narrow: (candidates: readonly Candidate[]) => Promise<readonly Candidate[]>,
  ): Promise<PostFilterResult>;
}

/** Extension point PreScore: called once when several nodes fit. `skip` leaves out the plugin's Score in this cycle. */
export interface PreScorePlugin extends Plugin {
  preScore(pod: PodInfo, nodes: NodeTable, state: CycleState): "skip" | undefined;
}

/** Writes a score for each of `slots` to the same place of `scores`, which arrives filled with 0. */
export type NodeScore = (slots: Int32Array, scores: Float64Array) => void;

/**
 * Extension points Score and NormalizeScore. `score` returns undefined when the plugin prefers no node to another.
 * Scores are 0 to 100 after `normalizeScore`, or at once if the plugin has none; others are an error.
 */
export interface ScorePlugin extends Plugin {
  score(pod: PodInfo, nodes: NodeTable, state: CycleState): NodeScore | undefined;
  /** Turns the scores of all feasible nodes into scores from 0 to 100, in place. */
  normalizeScore?(scores: Float64Array): void;
}

/** A score plugin with its weight in a profile. */
export interface WeightedScore {
  readonly plugin: ScorePlugin;
  readonly weight: number;
  /** Whether it is a plugin of a user, whose scores are checked. @default false */
  readonly isForeign?: boolean;
}

/** Extension point Reserve: assumes what the pod needs beside its node's resources. */
export interface ReservePlugin extends Plugin {
  /**
   * Called when a node was chosen, in the same turn, so that the next decision takes the reservation into account.
   *
   * @throws Error if the reservation is not possible; the pod is then scheduled again
   */
  reserve(pod: PodInfo, node: core.Node, state: CycleState): void;
  /** Ends the reservation, after a later failure; also called if `reserve` was not or has failed. Idempotent. */
  unreserve(pod: PodInfo, node: core.Node, state: CycleState): void;
}

/** Result of a permit plugin; undefined permits. `timeoutMs` is at most 15 minutes. */
export type PermitResult =
  | undefined
  | { readonly type: "reject"; readonly message: string }
  | { readonly type: "wait"; readonly timeoutMs: number };

/** Extension point Permit: the last word about a pod that has a node. A pod that waits is a `WaitingPod`. */
export interface PermitPlugin extends Plugin {
  permit(pod: PodInfo, node: core.Node, state: CycleState): PermitResult;
}

/** Extension point PreBind. */
export interface PreBindPlugin extends Plugin {
  /**
   * Does what has to be done before the pod is bound. Returns undefined if that is nothing. Rejects if the pod must be
   * scheduled again.
   */
  preBind(pod: PodInfo, node: core.Node, state: CycleState, signal: AbortSignal): Promise<void> | undefined;
}

/** Extension point Bind: the first plugin that does not skip binds. */
export interface BindPlugin extends Plugin {
  /** Binds the pod to its node. @throws Error, ApiError if it is not bound */
  bind(pod: PodInfo, node: core.Node, state: CycleState, signal: AbortSignal): Promise<"bound" | "skip">;
}

/** Extension point PostBind: called when the pod is bound. Errors are logged. */
export interface PostBindPlugin extends Plugin {
  postBind(pod: PodInfo, node: core.Node, state: CycleState): void;
}

/** Highest score of a plugin. */
export const MAX_SCORE = 100;

/** A reason that no eviction changes. */
export const lasting = (text: string): Reason => ({ text, evictionHelps: false });

/** A reason that evicting pods may change. */
export const evictable = (text: string): Reason => ({ text, evictionHelps: true });

/** `outdatedBy` of a plugin whose filter `podChanged` always keeps up to date. It is known without a call. */
export const neverOutdated = (): boolean => false;
