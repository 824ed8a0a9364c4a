import { MAX_SCORE, type ScorePlugin } from "../framework/interfaces.ts";

const free = (requested: number, capacity: number): number =>
  capacity === 0 || requested > capacity ? 0 : Math.floor(((capacity - requested) * MAX_SCORE) / capacity);

/** Score NodeResourcesFit, strategy LeastAllocated: the mean free share of CPU and memory with the pod on the node. */
export const leastAllocated: ScorePlugin = {
  name: "NodeResourcesFit",
  prepare({ nonZeroCpu: wantedCpu, nonZeroMemory: wantedMemory }, { nonZeroCpu, nonZeroMemory, cpu, memory }) {
    return (slots, scores) => {
      const cpus = cpu.allocatable;
      const memories = memory.allocatable;
      for (let i = 0; i < slots.length; i++) {
        const slot = slots[i] ?? 0;
        const cpuCapacity = cpus[slot] ?? 0;
        const memoryCapacity = memories[slot] ?? 0;
        const counted = (cpuCapacity === 0 ? 0 : 1) + (memoryCapacity === 0 ? 0 : 1);
        const sum =
          free((nonZeroCpu[slot] ?? 0) + wantedCpu, cpuCapacity) +
          free((nonZeroMemory[slot] ?? 0) + wantedMemory, memoryCapacity);
        scores[i] = counted === 0 ? 0 : Math.floor(sum / counted);
      }
    };
  },
};

const share = (requested: number, capacity: number): number => Math.min(requested / capacity, 1);

/**
 * Score NodeResourcesBalancedAllocation: the closer the used shares of CPU and memory would be, the better. What a node does
 * not offer is left out of the comparison.
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
        // With two resources the standard deviation is half their distance.
        scores[i] = Math.floor((1 - Math.abs(apart) / 2) * MAX_SCORE);
      }
    };
  },
};
