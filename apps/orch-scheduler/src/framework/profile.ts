import type { FilterPlugin, PostFilterPlugin, WeightedScore } from "./interfaces.ts";

/** A named set of plugins; pods choose one by `spec.schedulerName`. */
export interface Profile {
  readonly schedulerName: string;
  /** In the order in which they refuse: the first one to refuse a node is the one counted. */
  readonly filters: readonly FilterPlugin[];
  /** Called in turn for pods that fit no node, until one finds a node where preemption helps. */
  readonly postFilters: readonly PostFilterPlugin[];
  readonly scores: readonly WeightedScore[];
  /** 1–100; 0 chooses by the size of the cluster. */
  readonly percentageOfNodesToScore: number;
}
