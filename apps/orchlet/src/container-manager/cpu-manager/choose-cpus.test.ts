import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { type NumaMachine, writeNumaMachine } from "../../testing/numa-machine.ts";
import { CpuSet } from "../topology/cpu-set.ts";
import type { CpuTopology } from "../topology/cpu-topology.ts";
import { readMachineTopology } from "../topology/machine-topology.ts";
import { distributeCpus } from "./distribute-cpus.ts";
import { packCpus } from "./pack-cpus.ts";

const dir = mkdtempSync(join(tmpdir(), "o8s-choose-cpus-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
let machines = 0;
const topologyOf = (machine: NumaMachine): CpuTopology =>
  readMachineTopology(writeNumaMachine(join(dir, String(machines++)), machine)).cpus;

/** One socket with four cores of two threads: core 0 is CPU 0 and 4. */
const single = topologyOf({ sockets: 1, coresPerNode: 4, threadsPerCore: 2 });
/** Two sockets, each with three cores of two threads: CPUs 0-2 and 6-8 are those of the first. */
const dual = topologyOf({ sockets: 2, coresPerNode: 3, threadsPerCore: 2 });
/** Four NUMA nodes in two sockets, each with two cores of two threads. */
const quad = topologyOf({ sockets: 2, nodesPerSocket: 2, coresPerNode: 2, threadsPerCore: 2 });

test.each<[string, CpuTopology, string, number, string]>([
  ["one CPU is the first", single, "0-7", 1, "0"],
  ["a single CPU comes from a core that is in use already", single, "1-7", 1, "4"],
  ["two CPUs are a whole core", single, "1-7", 2, "1,5"],
  ["three CPUs are a core and a rest of another", single, "1-7", 3, "1,4-5"],
  ["all CPUs", single, "0-7", 8, "0-7"],
  ["a whole socket", dual, "0-11", 6, "0-2,6-8"],
  ["a whole socket that is free, not the first", dual, "1-11", 6, "3-5,9-11"],
  ["cores come from the socket that is fuller", dual, "1-11", 4, "1-2,7-8"],
  ["more than a socket", dual, "0-11", 8, "0-3,6-9"],
  ["a whole NUMA node", quad, "0-15", 4, "0-1,8-9"],
  ["a whole socket of two nodes", quad, "0-15", 8, "0-3,8-11"],
  ["a node that is free, of the socket that is fuller", quad, "1-15", 4, "2-3,10-11"],
])("packed CPUs are chosen: %s", (_, topology, free, wanted, cpus) => {
  expect(String(packCpus(topology, CpuSet.parse(free), wanted))).toBe(cpus);
});

/** How many of the CPUs are of each NUMA node, most first. */
const perNode = (topology: CpuTopology, cpus: CpuSet): readonly number[] =>
  topology
    .ids("node")
    .map((node) => cpus.intersection(topology.cpusIn("node", node)).size)
    .sort((x, y) => y - x);

test.each<[string, CpuTopology, number, number, readonly number[]]>([
  ["what fits on one node stays there", quad, 4, 1, [4, 0, 0, 0]],
  ["two nodes get the same", quad, 6, 1, [3, 3, 0, 0]],
  ["whole cores cannot be the same on two nodes", quad, 6, 2, [4, 2, 0, 0]],
  ["whole cores are the same on two nodes", dual, 8, 2, [4, 4]],
  ["a number that is no multiple of a core is packed", dual, 7, 2, [6, 1]],
  ["all", dual, 12, 1, [6, 6]],
])("distributed CPUs are chosen: %s", (_, topology, wanted, groupSize, counts) => {
  const chosen = distributeCpus(topology, topology.cpus, wanted, groupSize);
  expect(perNode(topology, chosen)).toEqual(counts);
  if (groupSize === 2 && wanted % 2 === 0)
    for (const core of topology.idsOf("core", chosen))
      expect(topology.cpusIn("core", core).isSubsetOf(chosen)).toBe(true);
});

test.each([packCpus, (...args: Parameters<typeof packCpus>) => distributeCpus(...args, 1)])(
  "more than there are cannot be chosen",
  (choose) => {
    expect(() => choose(dual, CpuSet.parse("0-2"), 4)).toThrow(/^not enough cpus available to satisfy request$/);
  },
);

/** A small generator of numbers, so that a failing case can be repeated. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

test("on every machine, the requested number of CPUs is chosen from the free ones", () => {
  const next = random(7);
  for (let round = 0; round < 40; round++) {
    const topology = topologyOf({
      sockets: 1 + next(3),
      nodesPerSocket: 1 + next(2),
      coresPerNode: 1 + next(4),
      threadsPerCore: 1 + next(2),
    });
    const free = topology.cpus.filter(() => next(4) > 0);
    for (let wanted = 0; wanted <= free.size; wanted++)
      for (const chosen of [
        packCpus(topology, free, wanted),
        distributeCpus(topology, free, wanted, 1),
        distributeCpus(topology, free, wanted, topology.cpusPerCore),
      ]) {
        expect(chosen.size).toBe(wanted);
        expect(chosen.isSubsetOf(free)).toBe(true);
      }
  }
});
