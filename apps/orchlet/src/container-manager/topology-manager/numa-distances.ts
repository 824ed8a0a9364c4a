import type { NumaNode } from "../topology/machine-topology.ts";
import { countNodes, type NumaMask, nodesOf } from "../topology/numa-mask.ts";

/** Of two masks, the one that is preferred. */
export type CompareMasks = (current: NumaMask, candidate: NumaMask) => NumaMask;

/** The mask with fewer nodes, otherwise the one with lower numbers. */
export const narrowest: CompareMasks = (current, candidate) => {
  const [a, b] = [countNodes(current), countNodes(candidate)];
  const isNarrower = a === b ? candidate < current : b < a;
  return isNarrower ? candidate : current;
};

/** As {@link narrowest}, but of masks with the same number of nodes the one whose nodes are closer to each other. */
export function closest(nodes: readonly NumaNode[]): CompareMasks {
  const index = new Map(nodes.map(({ id }, at) => [id, at]));
  const meanDistance = (mask: NumaMask): number => {
    const ids = nodesOf(mask);
    let sum = 0;
    for (const from of ids)
      for (const to of ids) sum += nodes[index.get(from) ?? -1]?.distances[index.get(to) ?? -1] ?? 0;
    return sum / ids.length ** 2;
  };
  return (current, candidate) => {
    if (countNodes(current) !== countNodes(candidate)) return narrowest(current, candidate);
    const [a, b] = [meanDistance(current), meanDistance(candidate)];
    if (a === b) return narrowest(current, candidate);
    return b < a ? candidate : current;
  };
}
