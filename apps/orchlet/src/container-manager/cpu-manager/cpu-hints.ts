import { CpuSet } from "../topology/cpu-set.ts";
import type { CpuTopology } from "../topology/cpu-topology.ts";
import { countNodes, hasNode, masksOf, type NumaMask, nodesOf } from "../topology/numa-mask.ts";
import type { TopologyHint } from "../topology-manager/hint.ts";

/**
 * The NUMA nodes on which a number of CPUs could be allocated. Preferred are those with the smallest number of nodes that could ever be
 * enough. Pure.
 *
 * @param reusable CPUs that the pod has already, which must be used
 * @param alignBySocket prefers nodes of as few sockets as possible
 */
export function cpuHints(
  topology: CpuTopology,
  wanted: number,
  cpus: { readonly available: CpuSet; readonly reusable: CpuSet },
  alignBySocket = false,
): readonly TopologyHint[] {
  const { reusable } = cpus;
  const usable = cpus.available.union(reusable);
  const masks = masksOf(topology.ids("node"));
  const fewest = Math.min(
    topology.count("node"),
    ...masks.filter((mask) => cpusIn(topology, mask).size >= wanted).map(countNodes),
  );
  const isPreferred = (mask: NumaMask) =>
    countNodes(mask) === fewest || (alignBySocket && isSocketAligned(topology, mask, fewest));
  return masks
    .filter(
      (mask) =>
        reusable.numbers.every((cpu) => hasNode(mask, topology.idOf("node", cpu))) &&
        usable.numbers.filter((cpu) => hasNode(mask, topology.idOf("node", cpu))).length >= wanted,
    )
    .map((nodes) => ({ nodes, preferred: isPreferred(nodes) }));
}

/** The CPUs of all nodes of a mask. */
export const cpusIn = (topology: CpuTopology, mask: NumaMask): CpuSet =>
  CpuSet.union(nodesOf(mask).map((node) => topology.cpusIn("node", node)));

function isSocketAligned(topology: CpuTopology, mask: NumaMask, fewestNodes: number): boolean {
  const nodesPerSocket = Math.floor(topology.count("node") / topology.count("socket"));
  if (nodesPerSocket === 0) return false;
  return topology.idsOf("socket", cpusIn(topology, mask)).length === Math.ceil(fewestNodes / nodesPerSocket);
}
