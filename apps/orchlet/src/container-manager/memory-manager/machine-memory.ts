import type { NumaNode } from "../topology/machine-topology.ts";

/** The memory of one kind on a NUMA node, in bytes. */
export interface MemoryTable {
  readonly total: number;
  /** Reserved for the system, and never allocated. */
  readonly systemReserved: number;
  readonly allocatable: number;
  /** Allocated to containers. */
  readonly reserved: number;
  readonly free: number;
}

/** The memory of a NUMA node, and with which nodes it is used together. */
export interface NodeMemory {
  /** Number of allocations that use the node. */
  readonly assignments: number;
  /** By kind: `memory`, `hugepages-2Mi`, … */
  readonly memory: ReadonlyMap<string, MemoryTable>;
  /** The nodes that allocations on this node use together; the node alone without any. */
  readonly cells: readonly number[];
}

/** The memory of a machine by NUMA node. */
export type MachineMemory = ReadonlyMap<number, NodeMemory>;

/** Memory of one kind that a container has. */
export interface MemoryBlock {
  readonly nodes: readonly number[];
  readonly kind: string;
  readonly bytes: number;
}

/** Bytes that are reserved for the system, by NUMA node and kind. */
export type ReservedMemory = ReadonlyMap<number, ReadonlyMap<string, number>>;

/** The memory of a machine without allocations. */
export function freeMemory(nodes: readonly NumaNode[], reserved: ReservedMemory): MachineMemory {
  return new Map(
    nodes.map(({ id, memoryBytes, hugePages }) => {
      const hugeBytes = [...hugePages.values()].reduce((sum, bytes) => sum + bytes, 0);
      const table = (kind: string, total: number, usable: number): readonly [string, MemoryTable] => {
        const systemReserved = reserved.get(id)?.get(kind) ?? 0;
        const allocatable = Math.max(0, usable - systemReserved);
        return [kind, { total, systemReserved, allocatable, reserved: 0, free: allocatable }];
      };
      return [
        id,
        {
          assignments: 0,
          cells: [id],
          memory: new Map([
            table("memory", memoryBytes, memoryBytes - hugeBytes),
            ...[...hugePages].map(([size, bytes]) => table(`hugepages-${size}`, bytes, bytes)),
          ]),
        },
      ];
    }),
  );
}

/**
 * Allocates memory on nodes: each node's free memory is used up before the next one's. Pure.
 *
 * @param block the nodes that are used together from now on
 * @param bytes how much of the block is not yet allocated
 */
export function takeMemory(machine: MachineMemory, { nodes, kind }: MemoryBlock, bytes: number): MachineMemory {
  let missing = bytes;
  return changeNodes(machine, nodes, kind, (node, table) => {
    const taken = Math.min(missing, table.free);
    missing -= taken;
    return {
      node: { assignments: node.assignments + 1, cells: nodes },
      table: { ...table, reserved: table.reserved + taken, free: table.free - taken },
    };
  });
}

/** Returns the memory of a block. Pure. */
export function returnMemory(machine: MachineMemory, { nodes, kind, bytes }: MemoryBlock): MachineMemory {
  let missing = bytes;
  return changeNodes(machine, nodes, kind, (node, table, id) => {
    const returned = Math.min(missing, table.reserved);
    missing -= returned;
    const assignments = Math.max(0, node.assignments - 1);
    return {
      node: { assignments, cells: assignments === 0 ? [id] : node.cells },
      table: { ...table, reserved: table.reserved - returned, free: table.free + returned },
    };
  });
}

function changeNodes(
  machine: MachineMemory,
  ids: readonly number[],
  kind: string,
  change: (
    node: NodeMemory,
    table: MemoryTable,
    id: number,
  ) => { readonly node: Pick<NodeMemory, "assignments" | "cells">; readonly table: MemoryTable },
): MachineMemory {
  const changed = new Map(machine);
  for (const id of ids) {
    const node = changed.get(id);
    const table = node?.memory.get(kind);
    if (node === undefined || table === undefined) continue;
    const next = change(node, table, id);
    changed.set(id, { ...next.node, memory: new Map(node.memory).set(kind, next.table) });
  }
  return changed;
}
