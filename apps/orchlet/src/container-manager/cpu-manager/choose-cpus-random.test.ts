import { seededNumbers } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { CpuSet } from "../topology/cpu-set.ts";
import { type CpuLevel, type CpuPlace, CpuTopology } from "../topology/cpu-topology.ts";
import { distributeCpus } from "./distribute-cpus.ts";
import { packCpus } from "./pack-cpus.ts";

type Next = ReturnType<typeof seededNumbers>;
type Places = readonly CpuPlace[];

/** Sockets of several NUMA nodes, or NUMA nodes of several sockets. */
function randomMachine(next: Next): Places {
  const [outer, inner, cores, threads] = [1 + next(3), 1 + next(3), 1 + next(4), 1 + next(2)];
  const all = outer * inner * cores;
  const isSocketOuter = next(3) > 0;
  const complete = Array.from({ length: all * threads }, (_, cpu) => {
    const core = cpu % all;
    const [small, large] = [Math.floor(core / cores), Math.floor(core / cores / inner)];
    return isSocketOuter ? { cpu, core, socket: large, node: small } : { cpu, core, socket: small, node: large };
  });
  // Of some machines, CPUs are offline, so that NUMA nodes differ.
  const isOffline = next(3) === 0 ? ({ cpu }: CpuPlace) => cpu > 0 && next(3) === 0 : () => false;
  return complete.filter((place) => !isOffline(place));
}

/** The groups of a level, those with fewer free CPUs first. */
function sorted(level: CpuLevel, among: Places, free: Places): readonly number[] {
  const size = (id: number) => free.filter((one) => one[level] === id).length;
  return [...new Set(among.map((one) => one[level]))].sort((a, b) => size(a) - size(b) || a - b);
}

function hierarchy(machine: Places): readonly [larger: CpuLevel, smaller: CpuLevel] {
  const count = (level: CpuLevel) => new Set(machine.map((one) => one[level])).size;
  return count("socket") >= count("node") ? ["node", "socket"] : ["socket", "node"];
}

/** The smaller groups, in the order of the larger ones. */
function smallGroups(machine: Places, free: Places): readonly number[] {
  const [larger, smaller] = hierarchy(machine);
  return sorted(larger, free, free).flatMap((id) =>
    sorted(
      smaller,
      free.filter((one) => one[larger] === id),
      free,
    ),
  );
}

function modelPack(machine: Places, available: Places, wanted: number): Places {
  const [larger, smaller] = hierarchy(machine);
  const taken: CpuPlace[] = [];
  const free = () => available.filter((one) => !taken.includes(one));
  const cores = () =>
    smallGroups(machine, free()).flatMap((id) =>
      sorted(
        "core",
        free().filter((one) => one[smaller] === id),
        free(),
      ),
    );
  const takeWhole = (level: CpuLevel, ids: readonly number[]) => {
    for (const id of ids) {
      const whole = machine.filter((one) => one[level] === id);
      if (whole.length <= wanted - taken.length && whole.every((one) => free().includes(one))) taken.push(...whole);
    }
  };
  takeWhole(larger, sorted(larger, free(), free()));
  takeWhole(smaller, smallGroups(machine, free()));
  takeWhole("core", cores());
  const single = cores().flatMap((core) => free().filter((one) => one.core === core));
  return [...taken, ...single.slice(0, wanted - taken.length)];
}

/** Subsets of a size, in the order of the elements. */
const subsetsOf = <T>(all: readonly T[], size: number): readonly (readonly T[])[] =>
  size === 0 ? [[]] : all.flatMap((one, i) => subsetsOf(all.slice(i + 1), size - 1).map((others) => [one, ...others]));

function spreadOf(values: readonly number[]): number {
  const thousandths = (value: number) => Math.round(value * 1000) / 1000;
  const mean = thousandths(values.reduce((sum, value) => sum + value, 0) / values.length);
  return thousandths(Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length));
}

/** KEP-2902, read word by word. */
function modelDistribute(machine: Places, available: Places, wanted: number, group: number): Places {
  const nodes =
    hierarchy(machine)[0] === "node" ? sorted("node", available, available) : smallGroups(machine, available);
  const free = (node: number, taken: Places = []) =>
    available.filter((one) => one.node === node && !taken.includes(one));
  const plan = (combo: readonly number[], rest: readonly number[], even: number): Places | undefined => {
    let taken: Places = [];
    for (const node of combo) taken = [...taken, ...modelPack(machine, free(node, taken), even)];
    while (taken.length < wanted) {
      const giving = rest.filter((node) => free(node, taken).length >= group);
      if (giving.length === 0) return undefined;
      for (const node of giving)
        if (taken.length < wanted) taken = [...taken, ...modelPack(machine, free(node, taken), group)];
    }
    return taken;
  };
  const all = new Set(machine.map(({ node }) => node)).size;
  const groups = wanted / group;
  const first = Math.ceil(groups / Math.ceil(Math.ceil(machine.length / group) / all));
  const last = Math.min(groups, nodes.length);
  if (wanted === 0) return [];
  for (let count = first; wanted % group === 0 && count <= last; count++) {
    const even = Math.floor(wanted / count / group) * group;
    let best: Places | undefined;
    let least = Number.POSITIVE_INFINITY;
    for (const combo of subsetsOf(nodes, count)) {
      if (combo.some((node) => free(node).length < even)) continue;
      if (combo.reduce((sum, node) => sum + Math.floor(free(node).length / group), 0) * group < wanted) continue;
      const giving = combo.filter((node) => free(node).length - even >= group);
      const rests = even * count === wanted ? [[]] : giving.flatMap((_, i) => subsetsOf(giving, giving.length - i));
      for (const rest of rests) {
        const taken = plan(combo, rest, even);
        const balance = taken && spreadOf(nodes.map((node) => free(node, taken).length));
        if (balance !== undefined && balance < least) [best, least] = [taken, balance];
      }
    }
    if (best !== undefined) return best;
  }
  return modelPack(machine, available, wanted);
}

const setOf = (places: Places): string => String(CpuSet.of(places.map(({ cpu }) => cpu)));

test("on every machine, the chosen CPUs are those of a literal implementation of the rules", () => {
  const next = seededNumbers(3);
  for (let round = 0; round < 400; round++) {
    const machine = randomMachine(next);
    const topology = new CpuTopology(machine);
    const dense = 1 + next(5);
    const available = machine.filter(() => next(6) < dense);
    const free = CpuSet.of(available.map(({ cpu }) => cpu));
    const wanted = next(available.length + 1);
    const shown = { machine: JSON.stringify(machine), free: String(free), wanted };
    expect({ ...shown, packed: String(packCpus(topology, free, wanted)) }).toEqual({
      ...shown,
      packed: setOf(modelPack(machine, available, wanted)),
    });
    for (const group of new Set([1, topology.cpusPerCore]))
      expect({ ...shown, group, cpus: String(distributeCpus(topology, free, wanted, group)) }).toEqual({
        ...shown,
        group,
        cpus: setOf(modelDistribute(machine, available, wanted, group)),
      });
  }
});
