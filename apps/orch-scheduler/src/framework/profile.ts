import { nodeAffinityFilter, nodeAffinityScore } from "../plugins/node-affinity.ts";
import { nodeName } from "../plugins/node-name.ts";
import { nodePorts } from "../plugins/node-ports.ts";
import { balancedAllocation, leastAllocated, nodeResourcesFit } from "../plugins/node-resources-fit.ts";
import { nodeUnschedulable } from "../plugins/node-unschedulable.ts";
import { taintTolerationFilter, taintTolerationScore } from "../plugins/taint-toleration.ts";
import type { FilterPlugin, ScorePlugin } from "./interfaces.ts";

/** A named set of plugins; pods choose one by `spec.schedulerName`. */
export interface Profile {
  readonly schedulerName: string;
  /** In the order in which they refuse: the first reason of a node is the one counted. */
  readonly filters: readonly FilterPlugin[];
  readonly scores: readonly ScorePlugin[];
}

/** The default plugins in their default order and weights. */
export function defaultProfile(schedulerName = "default-scheduler"): Profile {
  return {
    schedulerName,
    filters: [nodeUnschedulable, nodeName, taintTolerationFilter, nodeAffinityFilter(), nodePorts, nodeResourcesFit],
    scores: [taintTolerationScore, nodeAffinityScore, leastAllocated, balancedAllocation],
  };
}
