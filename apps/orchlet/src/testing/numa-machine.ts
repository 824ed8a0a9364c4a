import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The form of a machine whose sockets, nodes, cores and threads are all alike. */
export interface NumaMachine {
  readonly sockets: number;
  readonly nodesPerSocket?: number;
  readonly coresPerNode: number;
  readonly threadsPerCore?: number;
  /** Memory of each node. @default 4 GiB */
  readonly memoryBytes?: number;
  /** Numbers of pages by size in kB, of each node. */
  readonly hugePages?: Readonly<Record<string, number>>;
  /** Distances of the nodes, a row for each. @default 10 on the diagonal, 20 elsewhere */
  readonly distances?: readonly (readonly number[])[];
}

/**
 * Writes what sysfs shows of a machine. CPUs are numbered as on usual servers: first the first threads of all cores, then the second
 * ones.
 *
 * @returns the folder that stands for `/sys`
 */
export function writeNumaMachine(folder: string, machine: NumaMachine): string {
  const { sockets, nodesPerSocket = 1, coresPerNode, threadsPerCore = 1, memoryBytes = 4 * 1024 ** 3 } = machine;
  const write = (path: string, text: string): void => {
    const file = join(folder, "devices/system", path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${text}\n`);
  };
  const nodes = sockets * nodesPerSocket;
  const cores = nodes * coresPerNode;
  const threads = (core: number) => Array.from({ length: threadsPerCore }, (_, thread) => core + thread * cores);
  write("cpu/online", `0-${cores * threadsPerCore - 1}`);
  for (let core = 0; core < cores; core++)
    for (const cpu of threads(core)) {
      const topology = `cpu/cpu${cpu}/topology`;
      write(`${topology}/physical_package_id`, String(Math.floor(core / coresPerNode / nodesPerSocket)));
      write(`${topology}/core_id`, String(core % (coresPerNode * nodesPerSocket)));
      write(`${topology}/thread_siblings_list`, threads(core).join(","));
    }
  for (let node = 0; node < nodes; node++) {
    const own = Array.from({ length: coresPerNode }, (_, core) => threads(node * coresPerNode + core)).flat();
    write(`node/node${node}/cpulist`, own.join(","));
    write(`node/node${node}/meminfo`, `Node ${node} MemTotal:       ${memoryBytes / 1024} kB`);
    const row = machine.distances?.[node] ?? Array.from({ length: nodes }, (_, other) => (other === node ? 10 : 20));
    write(`node/node${node}/distance`, row.join(" "));
    for (const [size, pages] of Object.entries(machine.hugePages ?? {}))
      write(`node/node${node}/hugepages/hugepages-${size}kB/nr_hugepages`, String(pages));
  }
  return folder;
}
