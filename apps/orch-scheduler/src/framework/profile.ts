import type {
  BindPlugin,
  FilterPlugin,
  PermitPlugin,
  PostBindPlugin,
  PostFilterPlugin,
  PreBindPlugin,
  PreEnqueuePlugin,
  PreFilterPlugin,
  PreScorePlugin,
  QueueSortPlugin,
  ReservePlugin,
  WeightedScore,
} from "./interfaces.ts";

/** A named set of plugins; pods choose one by `spec.schedulerName`. The plugins of each point are called in order. */
export interface Profile {
  readonly schedulerName: string;
  readonly preEnqueues: readonly PreEnqueuePlugin[];
  readonly queueSort: QueueSortPlugin;
  readonly preFilters: readonly PreFilterPlugin[];
  /** A node counts for the first plugin that rejects it. */
  readonly filters: readonly FilterPlugin[];
  /** Called for pods that fit no node, until one of them nominates a node. */
  readonly postFilters: readonly PostFilterPlugin[];
  readonly preScores: readonly PreScorePlugin[];
  readonly scores: readonly WeightedScore[];
  readonly reserves: readonly ReservePlugin[];
  readonly permits: readonly PermitPlugin[];
  readonly preBinds: readonly PreBindPlugin[];
  /** Not empty. */
  readonly binds: readonly BindPlugin[];
  readonly postBinds: readonly PostBindPlugin[];
  /** 1–100; 0 chooses by the size of the cluster. */
  readonly percentageOfNodesToScore: number;
}
