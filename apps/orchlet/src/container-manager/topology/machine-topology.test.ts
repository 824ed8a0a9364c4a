import { mkdtempSync, rmSync } from "node:fs";
import os, { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { writeNumaMachine } from "../../testing/numa-machine.ts";
import { readMachineTopology } from "./machine-topology.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "o8s-topology-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

test("sockets, NUMA nodes, cores and threads are read from sysfs, and the memory of the nodes", () => {
  const memoryBytes = 2 * 1024 ** 3;
  const { cpus, nodes } = readMachineTopology(
    writeNumaMachine(dir, {
      ...{ sockets: 2, nodesPerSocket: 2, coresPerNode: 3, threadsPerCore: 2, memoryBytes },
      hugePages: { "2048": 5, "1048576": 1 },
    }),
  );
  expect([cpus.cpus.size, cpus.count("socket"), cpus.count("node"), cpus.count("core")]).toEqual([24, 2, 4, 12]);
  expect(cpus.cpusPerCore).toBe(2);
  expect(String(cpus.cpusIn("node", 1))).toBe("3-5,15-17");
  expect(String(cpus.cpusIn("socket", 1))).toBe("6-11,18-23");
  expect(String(cpus.cpusIn("core", 4))).toBe("4,16");
  expect(cpus.idOf("core", 16)).toBe(4);
  expect(nodes.map(({ id }) => id)).toEqual([0, 1, 2, 3]);
  expect(nodes[1]).toMatchObject({ memoryBytes, distances: [20, 10, 20, 20] });
  expect(nodes[1]?.hugePages).toEqual(
    new Map([
      ["2Mi", 5 * 2 * 1024 ** 2],
      ["1Gi", 1024 ** 3],
    ]),
  );
});

test("a machine without topology information has one NUMA node and one socket with all CPUs", () => {
  const { cpus, nodes } = readMachineTopology(join(dir, "missing"));
  expect(cpus.cpus.size).toBe(os.availableParallelism());
  expect([cpus.count("socket"), cpus.count("node"), cpus.cpusPerCore]).toEqual([1, 1, 1]);
  expect(nodes).toMatchObject([{ id: 0, memoryBytes: os.totalmem() }]);
});

test("on this machine, each CPU belongs to one core, socket and NUMA node", () => {
  const { cpus } = readMachineTopology();
  for (const level of ["core", "socket", "node"] as const)
    expect(cpus.ids(level).reduce((sum, id) => sum + cpus.cpusIn(level, id).size, 0)).toBe(cpus.cpus.size);
});
