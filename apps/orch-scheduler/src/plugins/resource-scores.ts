import { assertNever } from "@orchernetes/kernel";
import type { NodeTable } from "../cache/node-table.ts";
import type { PodInfo } from "../cache/pod-info.ts";
import { MAX_SCORE, type ScorePlugin } from "../framework/interfaces.ts";
import { type ShapePoint, utilizationScore } from "./broken-linear-function.ts";

const free = (requested: number, capacity: number): number =>
  capacity === 0 || requested > capacity ? 0 : Math.floor(((capacity - requested) * MAX_SCORE) / capacity);

const used = (requested: number, capacity: number): number =>
  capacity === 0 ? 0 : Math.floor((Math.min(requested, capacity) * MAX_SCORE) / capacity);

/** The strategy of {@link resourceAllocation}. */
export interface ScoringStrategy {
  /** Whether free nodes are preferred (spreading), used ones (packing), or by a function of the utilization. */
  readonly type: "LeastAllocated" | "MostAllocated" | "RequestedToCapacityRatio";
  readonly resources: readonly { readonly name: string; readonly weight: number }[];
  /** The function of RequestedToCapacityRatio. */
  readonly requestedToCapacityRatio?: { readonly shape: readonly ShapePoint[] } | undefined;
}

const BY_CPU_AND_MEMORY: ScoringStrategy = {
  type: "LeastAllocated",
  resources: [
    { name: "cpu", weight: 1 },
    { name: "memory", weight: 1 },
  ],
};

/** The requested amounts on each node, with the defaults that scoring assumes for containers without requests. */
const requestedOf = (name: string, nodes: NodeTable): Float64Array | undefined =>
  name === "cpu" ? nodes.nonZeroCpu : name === "memory" ? nodes.nonZeroMemory : nodes.columns.get(name)?.requested;

const wantedOf = (name: string, { nonZeroCpu, nonZeroMemory, requests }: PodInfo): number =>
  name === "cpu" ? nonZeroCpu : name === "memory" ? nonZeroMemory : (requests.get(name) ?? 0);

/**
 * Score NodeResourcesFit: the weighted mean of the share of each resource that would be free (or used) with the pod on
 * the node.
 */
export function resourceAllocation(strategy: ScoringStrategy = BY_CPU_AND_MEMORY): ScorePlugin {
  const { resources } = strategy;
  const { shareOf, countsZero, rounded } = scoringOf(strategy);
  return {
    name: "NodeResourcesFit",
    score(pod, nodes) {
      return (slots, scores) => {
        const weights = new Float64Array(slots.length);
        for (const { name, weight } of resources) {
          const capacities = nodes.columns.get(name)?.allocatable;
          const requested = requestedOf(name, nodes);
          const wanted = wantedOf(name, pod);
          // Extended and other countable resources count only for pods that request them.
          if (capacities === undefined || requested === undefined || (wanted === 0 && !ALWAYS.has(name))) continue;
          for (let i = 0; i < slots.length; i++) {
            const slot = slots[i] ?? 0;
            const capacity = capacities[slot] ?? 0;
            if (capacity === 0) continue;
            const share = shareOf((requested[slot] ?? 0) + wanted, capacity);
            if (share === 0 && !countsZero) continue;
            weights[i] = (weights[i] ?? 0) + weight;
            scores[i] = (scores[i] ?? 0) + weight * share;
          }
        }
        for (let i = 0; i < slots.length; i++)
          if (weights[i]) scores[i] = rounded((scores[i] ?? 0) / (weights[i] ?? 1));
      };
    },
  };
}

/** How a strategy scores a resource, and combines the scores of several. */
interface Scoring {
  readonly shareOf: (requested: number, capacity: number) => number;
  /** Whether a resource with score 0 counts in the mean. */
  readonly countsZero: boolean;
  readonly rounded: (mean: number) => number;
}

function scoringOf({ type, requestedToCapacityRatio }: ScoringStrategy): Scoring {
  switch (type) {
    case "LeastAllocated":
      return { shareOf: free, countsZero: true, rounded: Math.floor };
    case "MostAllocated":
      return { shareOf: used, countsZero: true, rounded: Math.floor };
    case "RequestedToCapacityRatio": {
      const shareOf = utilizationScore(requestedToCapacityRatio?.shape ?? []);
      return { shareOf, countsZero: false, rounded: Math.round };
    }
    default:
      return assertNever(type);
  }
}

const ALWAYS: ReadonlySet<string> = new Set(["cpu", "memory", "ephemeral-storage"]);
