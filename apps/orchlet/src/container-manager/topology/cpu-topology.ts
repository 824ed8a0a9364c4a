import { CpuSet } from "./cpu-set.ts";

/** Where a CPU is. */
export interface CpuPlace {
  readonly cpu: number;
  /** Number of the lowest CPU of the same core, so that it is unique on the machine. */
  readonly core: number;
  readonly socket: number;
  /** The NUMA node. */
  readonly node: number;
}

/** The levels at which CPUs are grouped. */
export type CpuLevel = "core" | "socket" | "node";

/** The CPUs of a machine and how they are grouped. Immutable. */
export class CpuTopology {
  readonly cpus: CpuSet;
  readonly #places: ReadonlyMap<number, CpuPlace>;
  readonly #groups: Readonly<Record<CpuLevel, ReadonlyMap<number, CpuSet>>>;

  constructor(places: readonly CpuPlace[]) {
    this.cpus = CpuSet.of(places.map(({ cpu }) => cpu));
    this.#places = new Map(places.map((place) => [place.cpu, place]));
    const groups = (level: CpuLevel) => {
      const members = new Map<number, number[]>();
      for (const place of places) members.set(place[level], [...(members.get(place[level]) ?? []), place.cpu]);
      return new Map([...members].sort(([a], [b]) => a - b).map(([id, cpus]) => [id, CpuSet.of(cpus)]));
    };
    this.#groups = { core: groups("core"), socket: groups("socket"), node: groups("node") };
  }

  /** The cores, sockets or NUMA nodes, in ascending order. */
  ids(level: CpuLevel): readonly number[] {
    return [...this.#groups[level].keys()];
  }

  /** How many cores, sockets or NUMA nodes there are. */
  count(level: CpuLevel): number {
    return this.#groups[level].size;
  }

  /** CPUs of each core; where cores differ, the whole part of the mean, as in the original. */
  get cpusPerCore(): number {
    return Math.max(1, Math.floor(this.cpus.size / this.count("core")));
  }

  /** The CPUs of a core, socket or NUMA node. */
  cpusIn(level: CpuLevel, id: number): CpuSet {
    return this.#groups[level].get(id) ?? CpuSet.empty;
  }

  /** The core, socket or NUMA node of a CPU; −1 for a CPU that the machine does not have. */
  idOf(level: CpuLevel, cpu: number): number {
    return this.#places.get(cpu)?.[level] ?? -1;
  }

  /** The cores, sockets or NUMA nodes of some CPUs, in ascending order. */
  idsOf(level: CpuLevel, cpus: CpuSet): readonly number[] {
    return [...new Set(cpus.numbers.map((cpu) => this.idOf(level, cpu)))].sort((a, b) => a - b);
  }
}
