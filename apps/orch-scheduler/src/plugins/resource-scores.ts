import type { NodeTable } from "../cache/node-table.ts";
import type { PodInfo } from "../cache/pod-info.ts";
import { MAX_SCORE, type ScorePlugin } from "../framework/interfaces.ts";

const free = (requested: number, capacity: number): number =>
  capacity === 0 || requested > capacity ? 0 : Math.floor(((capacity - requested) * MAX_SCORE) / capacity);

const used = (requested: number, capacity: number): number =>
  capacity === 0 ? 0 : Math.floor((Math.min(requested, capacity) * MAX_SCORE) / capacity);

/** The strategy of {@link resourceAllocation}. */
export interface ScoringStrategy {
  /** Whether free nodes are preferred (spreading) or used ones (packing). */
  readonly type: "LeastAllocated" | "MostAllocated";
  readonly resources: readonly { readonly name: string; readonly weight: number }[];
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
export function resourceAllocation({ type, resources }: ScoringStrategy = BY_CPU_AND_MEMORY): ScorePlugin {
  const shareOf = type === "LeastAllocated" ? free : used;
  return {
    name: "NodeResourcesFit",
    prepare(pod, nodes) {
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
            weights[i] = (weights[i] ?? 0) + weight;
            scores[i] = (scores[i] ?? 0) + weight * shareOf((requested[slot] ?? 0) + wanted, capacity);
          }
        }
        for (let i = 0; i < slots.length; i++)
          if (weights[i]) scores[i] = Math.floor((scores[i] ?? 0) / (weights[i] ?? 1));
      };
    },
  };
}

const ALWAYS: ReadonlySet<string> = new Set(["cpu", "memory", "ephemeral-storage"]);

const share = (requested: number, capacity: number): number => Math.min(requested / capacity, 1);

/**
 * Score NodeResourcesBalancedAllocation: prefers nodes on which the used shares of CPU and memory would be close to
 * each other, so that neither is left over. A resource that a node does not offer is not compared.
 */
export const balancedAllocation: ScorePlugin = {
  name: "NodeResourcesBalancedAllocation",
  prepare({ requests }, { cpu, memory }) {
    const wantedCpu = requests.get("cpu") ?? 0;
    const wantedMemory = requests.get("memory") ?? 0;
    return (slots, scores) => {
      for (let i = 0; i < slots.length; i++) {
        const slot = slots[i] ?? 0;
        const cpuCapacity = cpu.allocatable[slot] ?? 0;
        const memoryCapacity = memory.allocatable[slot] ?? 0;
        const apart =
          cpuCapacity === 0 || memoryCapacity === 0
            ? 0
            : share((cpu.requested[slot] ?? 0) + wantedCpu, cpuCapacity) -
              share((memory.requested[slot] ?? 0) + wantedMemory, memoryCapacity);
        // The standard deviation of two values is half their distance.
        scores[i] = Math.floor((1 - Math.abs(apart) / 2) * MAX_SCORE);
      }
    };
  },
};
