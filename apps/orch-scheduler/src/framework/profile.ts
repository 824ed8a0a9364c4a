import type { FilterPlugin, PostFilterPlugin, WeightedScore } from "./interfaces.ts";

/** A named set of plugins; pods choose one by `spec.schedulerName`. */
export interface Profile {
  readonly schedulerName: string;
  /** In the order in which they refuse: the first one to refuse a node is the one counted. */
  readonly filters: readonly FilterPlugin[];
  /** Asked in turn about pods that no node takes, until one knows a node to make room on. */
  readonly postFilters: readonly PostFilterPlugin[];
  readonly scores: readonly WeightedScore[];
  /** 1–100; 0 chooses by the size of the cluster. */
  readonly percentageOfNodesToScore: number;
}
