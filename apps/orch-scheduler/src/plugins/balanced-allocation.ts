import type { NodeTable } from "../cache/node-table.ts";
import type { PodInfo } from "../cache/pod-info.ts";
import { MAX_SCORE, type NodeScore, type ScorePlugin } from "../framework/interfaces.ts";

const share = (requested: number, capacity: number): number => Math.min(requested / capacity, 1);

/** The score by CPU and memory: the standard deviation of two values is half their distance. */
function byCpuAndMemory({ requests }: PodInfo, { cpu, memory }: NodeTable): NodeScore {
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
      scores[i] = Math.floor((1 - Math.abs(apart) / 2) * MAX_SCORE);
    }
  };
}

/** Always counted, also for pods that do not request them. */
const ALWAYS: ReadonlySet<string> = new Set(["cpu", "memory", "ephemeral-storage"]);

function byResources(resources: readonly string[], { requests }: PodInfo, { columns }: NodeTable): NodeScore {
  const counted = resources.flatMap((name) => {
    const column = columns.get(name);
    const wanted = requests.get(name) ?? 0;
    return column === undefined || (wanted === 0 && !ALWAYS.has(name)) ? [] : [{ column, wanted }];
  });
  const shares = new Float64Array(counted.length);
  return (slots, scores) => {
    for (let i = 0; i < slots.length; i++) {
      const slot = slots[i] ?? 0;
      let length = 0;
      for (const { column, wanted } of counted) {
        const capacity = column.allocatable[slot] ?? 0;
        if (capacity !== 0) shares[length++] = share((column.requested[slot] ?? 0) + wanted, capacity);
      }
      scores[i] = Math.floor((1 - deviation(shares, length)) * MAX_SCORE);
    }
  };
}

/** The standard deviation of the first values. */
function deviation(shares: Float64Array, length: number): number {
  if (length < 2) return 0;
  if (length === 2) return Math.abs((shares[0] ?? 0) - (shares[1] ?? 0)) / 2;
  let sum = 0;
  for (let i = 0; i < length; i++) sum += shares[i] ?? 0;
  const mean = sum / length;
  let squares = 0;
  for (let i = 0; i < length; i++) squares += ((shares[i] ?? 0) - mean) ** 2;
  return Math.sqrt(squares / length);
}

/**
 * Score NodeResourcesBalancedAllocation: prefers nodes on which the used shares of the resources would be close to each
 * other, so that none is left over. A resource that a node does not offer is not compared.
 */
export function balancedAllocation(resources: readonly string[] = ["cpu", "memory"]): ScorePlugin {
  const isDefault = resources.length === 2 && resources.includes("cpu") && resources.includes("memory");
  return {
    name: "NodeResourcesBalancedAllocation",
    score: (pod, nodes) => (isDefault ? byCpuAndMemory(pod, nodes) : byResources(resources, pod, nodes)),
  };
}
