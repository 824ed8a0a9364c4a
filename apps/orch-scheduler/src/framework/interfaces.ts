import type { NodeTable } from "../cache/node-table.ts";
import type { PodInfo } from "../cache/pod-info.ts";

/** Something in the cluster that changed, as far as it can make an unschedulable pod schedulable. A bit set. */
export const ClusterEvent = {
  NodeAdded: 1,
  NodeAllocatable: 2,
  NodeLabels: 4,
  NodeTaints: 8,
  PodDeleted: 16,
  PodAdded: 32,
} as const;
export type ClusterEvents = number;

/** Every event there is. */
export const ANY_EVENT: ClusterEvents = 63;

/**
 * A check of one pod against nodes, prepared once per pod: returns 0 when the node passes, else the number of a reason in
 * `reasons` plus one. Called for many nodes: must not allocate.
 */
export interface NodeFilter {
  readonly check: (slot: number) => number;
  /** Texts that users read after a node count, such as `Insufficient cpu`. */
  readonly reasons: readonly string[];
}

/**
 * Extension points PreFilter and Filter. `prepare` is called once per scheduling cycle.
 * It returns undefined when every node passes (the plugin is then skipped).
 */
export interface FilterPlugin {
  readonly name: string;
  /** Which events can turn this plugin's refusal around. */
  readonly events: ClusterEvents;
  prepare(pod: PodInfo, nodes: NodeTable): NodeFilter | undefined;
}

/**
 * Extension point Score. `prepare` returns undefined when the plugin has nothing to say about the pod; else a function that
 * gives each node 0–100, after normalising over `slots` if need be.
 */
export interface ScorePlugin {
  readonly name: string;
  readonly weight: number;
  prepare(pod: PodInfo, nodes: NodeTable, slots: Int32Array): ((slot: number) => number) | undefined;
}

/** Highest score a plugin gives. */
export const MAX_SCORE = 100;
