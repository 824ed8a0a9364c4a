import type { FilterPlugin, PostFilterPlugin, ReservePlugin, WeightedScore } from "./interfaces.ts";

/** A named set of plugins; pods choose one by `spec.schedulerName`. */
export interface Profile {
  readonly schedulerName: string;
  /** In order: a node counts for the first plugin that rejects it. */
  readonly filters: readonly FilterPlugin[];
  /** Called in order for pods that fit no node, until one of them nominates a node. */
  readonly postFilters: readonly PostFilterPlugin[];
  /** Called in order when a node was chosen. */
  readonly reserves: readonly ReservePlugin[];
  readonly scores: readonly WeightedScore[];
  /** 1–100; 0 chooses by the size of the cluster. */
  readonly percentageOfNodesToScore: number;
}
