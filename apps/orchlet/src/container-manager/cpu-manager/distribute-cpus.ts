import type { CpuSet } from "../topology/cpu-set.ts";
import type { CpuTopology } from "../topology/cpu-topology.ts";
import { combinations } from "../topology/numa-mask.ts";
import { FreeCpus } from "./free-cpus.ts";
import { notEnoughCpus, packCpus } from "./pack-cpus.ts";

/** The number of CPUs to take from each NUMA node. */
interface Distribution {
  /** The nodes that each give the same number of CPUs. */
  readonly nodes: readonly number[];
  readonly even: number;
  /** Those of them that give the rest, a group in turn. */
  readonly restFrom: readonly number[];
  /** Standard deviation of the numbers of CPUs that stay free on the nodes of the machine, in thousandths. */
  readonly imbalance: number;
}

/**
 * Chooses CPUs evenly from as few NUMA nodes as possible, so that what stays free on all nodes is balanced. Where that is impossible,
 * as {@link packCpus}. Pure; the order of KEP-2902.
 *
 * @param groupSize CPUs are taken in groups of this size, such as those of a core
 * @throws Error if there are not enough
 */
export function distributeCpus(topology: CpuTopology, available: CpuSet, wanted: number, groupSize: number): CpuSet {
  if (wanted % groupSize !== 0) return packCpus(topology, available, wanted);
  if (wanted > available.size) throw notEnoughCpus();
  const cpus = new FreeCpus(topology, available, wanted);
  if (wanted === 0) return cpus.taken;
  const { nodes } = cpus;
  const free = new Map(nodes.map((node) => [node, cpus.in("node", node).size]));
  const groups = wanted / groupSize;
  for (let count = fewestNodes(topology, groups, groupSize); count <= Math.min(groups, nodes.length); count++) {
    const best = bestOf(combinations(nodes, count), (some) => distributionsOf(some, free, wanted, groupSize));
    if (best !== undefined) return takeEvenly(cpus, best, groupSize);
  }
  return packCpus(topology, available, wanted);
}

/**
 * How many nodes are needed if they all have as many CPUs as the mean. Where they differ, fewer could be enough, but are not looked at,
 * as in the original.
 */
function fewestNodes(topology: CpuTopology, groups: number, groupSize: number): number {
  const groupsPerNode = Math.ceil(Math.ceil(topology.cpus.size / groupSize) / topology.count("node"));
  return Math.ceil(groups / groupsPerNode);
}

/** Takes the same number of each node, and then the rest: a group is of the core that is best after what was taken before. */
function takeEvenly(cpus: FreeCpus, { nodes, even, restFrom }: Distribution, groupSize: number): CpuSet {
  const take = (node: number, count: number) => cpus.take(packCpus(cpus.topology, cpus.in("node", node), count));
  for (const node of nodes) take(node, even);
  while (cpus.missing > 0)
    for (const node of restFrom) if (cpus.missing > 0 && cpus.in("node", node).size >= groupSize) take(node, groupSize);
  return cpus.taken;
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
  const rest = wanted - even * nodes.length;
  const some = rest === 0 ? [[]] : subsets(nodes.filter((node) => (left.get(node) ?? 0) >= groupSize));
  for (const restFrom of some) {
    const imbalance = imbalanceAfter(left, restFrom, rest, groupSize);
    if (imbalance !== undefined) yield { nodes, even, restFrom, imbalance };
  }
}

/** The imbalance when these nodes give the rest, a group of each in turn; undefined if they cannot. */
function imbalanceAfter(
  evenlyLeft: ReadonlyMap<number, number>,
  restFrom: readonly number[],
  rest: number,
  groupSize: number,
): number | undefined {
  const left = new Map(evenlyLeft);
  for (let missing = rest; missing > 0; ) {
    const before = missing;
    for (const node of restFrom) {
      const free = left.get(node) ?? 0;
      if (missing === 0 || free < groupSize) continue;
      left.set(node, free - groupSize);
      missing -= groupSize;
    }
    if (missing === before) return undefined;
  }
  return deviation([...left.values()]);
}

/** All subsets but the empty one, larger ones first, so that CPUs are distributed over many nodes. */
const subsets = (nodes: readonly number[]): readonly (readonly number[])[] =>
  nodes.flatMap((_, index) => combinations(nodes, nodes.length - index));

/** In thousandths, like the kubelet: equal distributions must not differ by rounding errors. */
function deviation(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.round(Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length) * 1000);
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
