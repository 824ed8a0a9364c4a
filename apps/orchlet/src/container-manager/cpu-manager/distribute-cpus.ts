import { CpuSet } from "../topology/cpu-set.ts";
import type { CpuTopology } from "../topology/cpu-topology.ts";
import { combinations } from "../topology/numa-mask.ts";
import { FreeCpus } from "./free-cpus.ts";
import { notEnough, packCpus } from "./pack-cpus.ts";

/** How many CPUs to take of each NUMA node. */
interface Distribution {
  readonly amounts: ReadonlyMap<number, number>;
  /** Standard deviation of the numbers of CPUs that stay free on the nodes of the machine. */
  readonly imbalance: number;
}

/**
 * Chooses CPUs evenly from as few NUMA nodes as possible, so that what stays free on all nodes is balanced. Where that is impossible,
 * as {@link packCpus}. Pure.
 *
 * @param groupSize CPUs are taken in groups of this size, such as those of a core
 * @throws Error if there are not enough
 */
export function distributeCpus(topology: CpuTopology, available: CpuSet, wanted: number, groupSize: number): CpuSet {
  if (wanted % groupSize !== 0) return packCpus(topology, available, wanted);
  if (wanted > available.size) throw notEnough(wanted, available);
  const cpus = new FreeCpus(topology, available, wanted);
  const nodes = cpus.sorted("node");
  const free = new Map(nodes.map((node) => [node, cpus.in("node", node).size]));
  for (let count = 1; count <= nodes.length; count++) {
    const best = bestOf(combinations(nodes, count), (some) => distributionsOf(some, free, wanted, groupSize));
    if (best === undefined) continue;
    return CpuSet.union([...best.amounts].map(([node, amount]) => packCpus(topology, cpus.in("node", node), amount)));
  }
  return packCpus(topology, available, wanted);
}

/** Distributions over these nodes: none if they are not enough. */
function* distributionsOf(
  nodes: readonly number[],
  free: ReadonlyMap<number, number>,
  wanted: number,
  groupSize: number,
): Generator<Distribution, void> {
  const groups = nodes.reduce((sum, node) => sum + Math.floor((free.get(node) ?? 0) / groupSize), 0);
  if (groups * groupSize < wanted) return;
  const even = Math.floor(wanted / nodes.length / groupSize) * groupSize;
  if (nodes.some((node) => (free.get(node) ?? 0) < even)) return;
  const left = new Map(free);
  for (const node of nodes) left.set(node, (left.get(node) ?? 0) - even);
  const remainder = wanted - even * nodes.length;
  const some = remainder === 0 ? [[]] : subsets(nodes.filter((node) => (left.get(node) ?? 0) >= groupSize));
  for (const subset of some) {
    const distribution = withRemainder(nodes, subset, left, even, remainder, groupSize);
    if (distribution !== undefined) yield distribution;
  }
}

/** Takes the remainder from a subset of the nodes, a group of each in turn; undefined if that is impossible. */
function withRemainder(
  nodes: readonly number[],
  subset: readonly number[],
  evenlyLeft: ReadonlyMap<number, number>,
  even: number,
  remainder: number,
  groupSize: number,
): Distribution | undefined {
  const left = new Map(evenlyLeft);
  const amounts = new Map(nodes.map((node) => [node, even]));
  let missing = remainder;
  while (missing > 0) {
    const before = missing;
    for (const node of subset) {
      const free = left.get(node) ?? 0;
      if (missing === 0 || free < groupSize) continue;
      left.set(node, free - groupSize);
      amounts.set(node, (amounts.get(node) ?? 0) + groupSize);
      missing -= groupSize;
    }
    if (missing === before) return undefined;
  }
  return { amounts, imbalance: deviation([...left.values()]) };
}

/** All subsets but the empty one, larger ones first, so that CPUs are distributed over many nodes. */
const subsets = (nodes: readonly number[]): readonly (readonly number[])[] =>
  nodes.flatMap((_, index) => combinations(nodes, nodes.length - index));

function deviation(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
}

/** The first distribution with the least imbalance. The search ends with a combination in which there is none. */
function bestOf<T>(
  choices: readonly T[],
  distributionsOfChoice: (choice: T) => Iterable<Distribution>,
): Distribution | undefined {
  let best: Distribution | undefined;
  for (const choice of choices) {
    if (best?.imbalance === 0) return best;
    for (const one of distributionsOfChoice(choice))
      if (best === undefined || one.imbalance < best.imbalance) best = one;
  }
  return best;
}
