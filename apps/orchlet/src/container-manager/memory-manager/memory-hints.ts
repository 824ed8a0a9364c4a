import { maskOf, masksOf, nodesOf } from "../topology/numa-mask.ts";
import type { TopologyHint } from "../topology-manager/hint.ts";
import type { MachineMemory } from "./machine-memory.ts";

/** Bytes by kind of memory. */
export type MemoryAmounts = ReadonlyMap<string, number>;

/** A hint with its nodes. */
export interface MemoryHint extends TopologyHint {
  readonly nodes: bigint;
}

/**
 * The NUMA nodes on which memory could be allocated; they are the same for all kinds. A node is either used alone, or always together
 * with the same others (KEP-1769). Preferred are those with the smallest number of nodes that could ever be enough. Pure.
 *
 * @param reusable bytes of a kind that the pod's init containers have on nodes
 */
export function memoryHints(
  machine: MachineMemory,
  wanted: MemoryAmounts,
  reusable: (nodes: readonly number[], kind: string) => number,
): readonly MemoryHint[] {
  const sum = (nodes: readonly number[], kind: string, part: "free" | "allocatable") =>
    nodes.reduce((total, node) => total + (machine.get(node)?.memory.get(kind)?.[part] ?? 0), 0);
  const couldHold = masksOf([...machine.keys()])
    .map(nodesOf)
    .filter((nodes) => [...wanted].every(([kind, bytes]) => sum(nodes, kind, "allocatable") >= bytes));
  const fewest = Math.min(...couldHold.map(({ length }) => length));
  return couldHold
    .filter(
      (nodes) =>
        nodes.every((node) => isUsableWith(machine, node, nodes)) &&
        [...wanted].every(([kind, bytes]) => sum(nodes, kind, "free") + reusable(nodes, kind) >= bytes),
    )
    .map((nodes) => ({ nodes: maskOf(nodes), preferred: nodes.length === fewest }));
}

/** Whether a node that is in use is used together with these nodes, and no others. */
export function isUsableWith(machine: MachineMemory, node: number, nodes: readonly number[]): boolean {
  const { assignments = 0, cells = [] } = machine.get(node) ?? {};
  if (assignments === 0) return true;
  return cells.length === nodes.length && cells.every((cell) => nodes.includes(cell));
}

/** The best hint: preferred ones first, then those with fewer nodes, then those with lower numbers. */
export function bestHint(hints: readonly MemoryHint[]): MemoryHint | undefined {
  return hints.toSorted(
    (a, b) =>
      Number(b.preferred) - Number(a.preferred) ||
      nodesOf(a.nodes).length - nodesOf(b.nodes).length ||
      Number(a.nodes - b.nodes),
  )[0];
}
