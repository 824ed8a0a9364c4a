import { readdirSync, readFileSync } from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { CpuSet } from "./cpu-set.ts";
import { type CpuPlace, CpuTopology } from "./cpu-topology.ts";

/** The memory of a NUMA node. */
export interface NumaNode {
  readonly id: number;
  readonly memoryBytes: number;
  /** Bytes that are set aside as huge pages, by size such as `2Mi`. */
  readonly hugePages: ReadonlyMap<string, number>;
  /** Distance to each node, in the order of the machine's nodes; 10 is the node itself. Empty if it is not known. */
  readonly distances: readonly number[];
}

/** How the CPUs and the memory of a machine are grouped. */
export interface MachineTopology {
  readonly cpus: CpuTopology;
  /** In ascending order; at least one. */
  readonly nodes: readonly NumaNode[];
}

/**
 * Reads the topology that the kernel shows (`devices/system/cpu` and `devices/system/node`). A machine that shows none has one node and
 * one socket, in which each CPU is a core.
 *
 * @param sys where sysfs is mounted @default "/sys"
 */
export function readMachineTopology(sys = "/sys"): MachineTopology {
  const folder = join(sys, "devices/system");
  const nodes = readNodes(join(folder, "node"));
  const places = readCpus(join(folder, "cpu"), nodes);
  return {
    cpus: new CpuTopology(places),
    nodes: nodes.map(({ cpus: _, ...node }) => node),
  };
}

interface NodeFiles extends NumaNode {
  readonly cpus: CpuSet;
}

function readNodes(folder: string): readonly NodeFiles[] {
  const ids = names(folder)
    .flatMap((name) => /^node(\d{1,4})$/.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
  if (ids.length === 0)
    return [{ id: 0, memoryBytes: os.totalmem(), hugePages: new Map(), distances: [], cpus: CpuSet.empty }];
  return ids.map((id) => {
    const node = join(folder, `node${id}`);
    const kilobytes = /MemTotal:\s+(\d+) kB/.exec(read(join(node, "meminfo")))?.[1];
    return {
      id,
      memoryBytes: Number(kilobytes ?? 0) * 1024,
      hugePages: readHugePages(join(node, "hugepages")),
      distances: (read(join(node, "distance")).match(/\d+/g) ?? []).map(Number),
      cpus: listIn(join(node, "cpulist")),
    };
  });
}

function readHugePages(folder: string): ReadonlyMap<string, number> {
  return new Map(
    names(folder).flatMap((name) => {
      const kilobytes = Number(/^hugepages-(\d{1,12})kB$/.exec(name)?.[1]);
      if (!Number.isFinite(kilobytes)) return [];
      const pages = Number(read(join(folder, name, "nr_hugepages")));
      return [[sizeText(kilobytes), (Number.isFinite(pages) ? pages : 0) * kilobytes * 1024] as const];
    }),
  );
}

/** A size of pages as in the names of resources, such as `2Mi`. */
function sizeText(kilobytes: number): string {
  if (kilobytes >= 1024 ** 2) return `${kilobytes / 1024 ** 2}Gi`;
  return kilobytes >= 1024 ? `${kilobytes / 1024}Mi` : `${kilobytes}Ki`;
}

function readCpus(folder: string, nodes: readonly NodeFiles[]): readonly CpuPlace[] {
  const online = listIn(join(folder, "online"));
  const known = online.size > 0 ? online.numbers : Array.from({ length: os.availableParallelism() }, (_, cpu) => cpu);
  return known.map((cpu) => {
    const topology = join(folder, `cpu${cpu}`, "topology");
    const socket = Number(read(join(topology, "physical_package_id")) || 0);
    const siblings = listIn(join(topology, "thread_siblings_list")).filter((sibling) => known.includes(sibling));
    return {
      cpu,
      core: siblings.numbers[0] ?? cpu,
      // Some virtual machines show −1.
      socket: Math.max(0, socket),
      node: nodes.find(({ cpus }) => cpus.has(cpu))?.id ?? nodes[0]?.id ?? 0,
    };
  });
}

function listIn(path: string): CpuSet {
  try {
    return CpuSet.parse(read(path));
  } catch {
    return CpuSet.empty;
  }
}

function names(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Content of a file; "" if it cannot be read, because not every machine has all of these files. */
function read(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return "";
  }
}
