import type { PodInfo } from "../cache/pod-info.ts";

/** A node that would have room for the pod without some of its pods. */
export interface Candidate {
  readonly slot: number;
  /** Name of the node. */
  readonly node: string;
  /** The pods to evict, the most important first. Never empty. */
  readonly victims: readonly PodInfo[];
  /** Number of evictions that a disruption budget does not allow. */
  readonly violations: number;
}
