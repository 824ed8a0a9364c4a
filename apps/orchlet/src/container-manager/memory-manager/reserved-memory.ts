import { valueOf as wholeValueOf } from "@orchernetes/apimachinery";
import type { OrchletConfiguration } from "@orchernetes/config";
import { thresholdBytes } from "../../node/capacity.ts";
import type { NumaNode } from "../topology/machine-topology.ts";
import type { ReservedMemory } from "./machine-memory.ts";

/** Settings that say how much memory is reserved. */
export type ReservedMemorySettings = Pick<
  OrchletConfiguration,
  "reservedMemory" | "systemReserved" | "orchReserved" | "evictionHard"
>;

/**
 * The memory that is reserved on each NUMA node (`reservedMemory`).
 *
 * @throws Error unless it is on nodes that exist, and together what the node's allocatable resources leave out
 */
export function reservedMemory(settings: ReservedMemorySettings, nodes: readonly NumaNode[]): ReservedMemory {
  const reserved = new Map<number, Map<string, number>>();
  for (const { numaNode, limits } of settings.reservedMemory) {
    if (nodes.every(({ id }) => id !== numaNode))
      throw new Error(
        `field reservedMemory: the machine has no NUMA node ${numaNode}; want ${nodes.map(({ id }) => id).join(", ")}`,
      );
    const ofNode = reserved.get(numaNode) ?? new Map<string, number>();
    for (const [kind, amount] of Object.entries(limits))
      ofNode.set(kind, (ofNode.get(kind) ?? 0) + wholeValueOf(amount));
    reserved.set(numaNode, ofNode);
  }
  const { systemReserved, orchReserved } = settings;
  const kinds = new Set([
    ...["memory", ...Object.keys(systemReserved), ...Object.keys(orchReserved)].filter(isMemory),
    ...[...reserved.values()].flatMap((ofNode) => [...ofNode.keys()]),
  ]);
  for (const kind of kinds) {
    const given = [...reserved.values()].reduce((sum, ofNode) => sum + (ofNode.get(kind) ?? 0), 0);
    const want = leftOut(settings, kind, nodes);
    if (given !== want)
      throw new Error(
        `field reservedMemory: the total amount "${given}" of type "${kind}" is not equal to the value "${want}" determined by Node Allocatable feature`,
      );
  }
  if ([...reserved.values()].every((ofNode) => (ofNode.get("memory") ?? 0) === 0))
    throw new Error("[memorymanager] you should specify the system reserved memory");
  return reserved;
}

const isMemory = (kind: string): boolean => kind === "memory" || kind.startsWith("hugepages-");

/** How much of a kind the node's allocatable resources leave out. */
function leftOut(
  { systemReserved, orchReserved, evictionHard }: ReservedMemorySettings,
  kind: string,
  nodes: readonly NumaNode[],
): number {
  const bytes = (text: string | undefined) => wholeValueOf(text ?? "0");
  const reserved = bytes(systemReserved[kind]) + bytes(orchReserved[kind]);
  if (kind !== "memory") return reserved;
  const total = nodes.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0);
  return reserved + thresholdBytes(evictionHard["memory.available"], total);
}
