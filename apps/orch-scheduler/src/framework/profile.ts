import { nodeAffinityFilter, nodeAffinityScore } from "../plugins/node-affinity.ts";
import { nodeName } from "../plugins/node-name.ts";
import { nodePorts } from "../plugins/node-ports.ts";
import { nodeResourcesFit } from "../plugins/node-resources-fit.ts";
import { nodeUnschedulable } from "../plugins/node-unschedulable.ts";
import { balancedAllocation, leastAllocated } from "../plugins/resource-scores.ts";
import { taintTolerationFilter, taintTolerationScore } from "../plugins/taint-toleration.ts";
import type { FilterPlugin, WeightedScore } from "./interfaces.ts";

/** A named set of plugins; pods choose one by `spec.schedulerName`. */
export interface Profile {
  readonly schedulerName: string;
  /** In the order in which they refuse: the first one to refuse a node is the one counted. */
  readonly filters: readonly FilterPlugin[];
  readonly scores: readonly WeightedScore[];
  /** 1–100; 0 chooses by the size of the cluster. */
  readonly percentageOfNodesToScore: number;
}

/** The default plugins in their default order and weights. */
export function defaultProfile(schedulerName = "default-scheduler"): Profile {
  return {
    schedulerName,
    filters: [nodeUnschedulable, nodeName, taintTolerationFilter, nodeAffinityFilter(), nodePorts, nodeResourcesFit],
    scores: [
      { plugin: taintTolerationScore, weight: 3 },
      { plugin: nodeAffinityScore, weight: 2 },
      { plugin: leastAllocated, weight: 1 },
      { plugin: balancedAllocation, weight: 1 },
    ],
    percentageOfNodesToScore: 0,
  };
}
