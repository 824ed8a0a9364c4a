import { ClusterEvent, type FilterPlugin, MAX_SCORE, type ScorePlugin } from "../framework/interfaces.ts";

/** Filter NodeResourcesFit: what the pod asks for must be free, and the node must have room for one more pod. */
export const nodeResourcesFit: FilterPlugin = {
  name: "NodeResourcesFit",
  events: ClusterEvent.NodeAdded | ClusterEvent.NodeAllocatable | ClusterEvent.PodDeleted,
  prepare({ requests }, nodes) {
    const { podCount, allowedPods } = nodes;
    const reasons = ["Too many pods"];
    const wanted: { readonly amount: number; readonly allocatable: Float64Array; readonly requested: Float64Array }[] =
      [];
    for (const [resource, amount] of requests) {
      if (amount === 0) continue;
      const { allocatable, requested } = nodes.column(resource);
      wanted.push({ amount, allocatable, requested });
      reasons.push(`Insufficient ${resource}`);
    }
    return {
      reasons,
      check(slot) {
        if ((podCount[slot] ?? 0) + 1 > (allowedPods[slot] ?? 0)) return 1;
        for (let i = 0; i < wanted.length; i++) {
          const column = wanted[i];
          if (column !== undefined && column.amount > (column.allocatable[slot] ?? 0) - (column.requested[slot] ?? 0))
            return i + 2;
        }
        return 0;
      },
    };
  },
};

/** Score NodeResourcesFit, strategy LeastAllocated: the mean free share of CPU and memory with the pod on the node. */
export const leastAllocated: ScorePlugin = {
  name: "NodeResourcesFit",
  weight: 1,
  prepare(pod, nodes) {
    const { nonZeroCpu, nonZeroMemory, cpu, memory } = nodes;
    const free = (requested: number, capacity: number): number =>
      capacity === 0 || requested > capacity ? 0 : Math.floor(((capacity - requested) * MAX_SCORE) / capacity);
    return (slot) => {
      const cpuCapacity = cpu.allocatable[slot] ?? 0;
      const memoryCapacity = memory.allocatable[slot] ?? 0;
      const counted = (cpuCapacity === 0 ? 0 : 1) + (memoryCapacity === 0 ? 0 : 1);
      if (counted === 0) return 0;
      const sum =
        free((nonZeroCpu[slot] ?? 0) + pod.nonZeroCpu, cpuCapacity) +
        free((nonZeroMemory[slot] ?? 0) + pod.nonZeroMemory, memoryCapacity);
      return Math.floor(sum / counted);
    };
  },
};

/** Score NodeResourcesBalancedAllocation: the closer the used shares of CPU and memory would be, the better. */
export const balancedAllocation: ScorePlugin = {
  name: "NodeResourcesBalancedAllocation",
  weight: 1,
  prepare(pod, nodes) {
    const { cpu, memory } = nodes;
    const wantsCpu = pod.requests.get("cpu") ?? 0;
    const wantsMemory = pod.requests.get("memory") ?? 0;
    const share = (requested: number, capacity: number): number =>
      capacity === 0 ? 0 : Math.min(requested / capacity, 1);
    return (slot) => {
      const cpuShare = share((cpu.requested[slot] ?? 0) + wantsCpu, cpu.allocatable[slot] ?? 0);
      const memoryShare = share((memory.requested[slot] ?? 0) + wantsMemory, memory.allocatable[slot] ?? 0);
      // With two resources the standard deviation is half their distance.
      return Math.floor((1 - Math.abs(cpuShare - memoryShare) / 2) * MAX_SCORE);
    };
  },
};
