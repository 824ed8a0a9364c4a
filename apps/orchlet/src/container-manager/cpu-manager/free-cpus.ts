import { CpuSet } from "../topology/cpu-set.ts";
import type { CpuLevel, CpuTopology } from "../topology/cpu-topology.ts";

/**
 * The CPUs that are free while some of them are taken. Groups of CPUs are in the order in which they should be used up: those with
 * fewer free CPUs first, then by number, so that large free groups stay.
 */
export class FreeCpus {
  readonly topology: CpuTopology;
  #free: CpuSet;
  #taken = CpuSet.empty;
  #missing: number;

  constructor(topology: CpuTopology, free: CpuSet, wanted: number) {
    this.topology = topology;
    this.#free = free;
    this.#missing = wanted;
  }

  get free(): CpuSet {
    return this.#free;
  }

  get taken(): CpuSet {
    return this.#taken;
  }

  /** How many CPUs are still to be taken. */
  get missing(): number {
    return this.#missing;
  }

  take(cpus: CpuSet): void {
    this.#taken = this.#taken.union(cpus);
    this.#free = this.#free.difference(cpus);
    this.#missing -= cpus.size;
  }

  /** Free CPUs of a group. */
  in(level: CpuLevel, id: number): CpuSet {
    return this.#free.intersection(this.topology.cpusIn(level, id));
  }

  /** Groups with free CPUs, in the order of use. */
  sorted(level: CpuLevel, among: CpuSet = this.#free): readonly number[] {
    const size = new Map(this.topology.idsOf(level, among).map((id) => [id, this.in(level, id).size]));
    return [...size].sort(([a, sizeOfA], [b, sizeOfB]) => sizeOfA - sizeOfB || a - b).map(([id]) => id);
  }

  /** NUMA nodes or sockets, whichever is the smaller group, in the order of the larger groups that contain them. */
  get groups(): readonly number[] {
    const { larger, smaller } = this.#hierarchy;
    return this.sorted(larger).flatMap((id) => this.sorted(smaller, this.in(larger, id)));
  }

  /** NUMA nodes with free CPUs, in the order of use: where sockets consist of several, those of a socket after each other. */
  get nodes(): readonly number[] {
    return this.#hierarchy.larger === "node" ? this.sorted("node") : this.groups;
  }

  /** Cores, in the order of the groups that contain them. */
  get cores(): readonly number[] {
    const { smaller } = this.#hierarchy;
    return this.groups.flatMap((id) => this.sorted("core", this.in(smaller, id)));
  }

  /** Takes every group that is completely free and not larger than what is missing. */
  takeWholeGroups(): void {
    const { larger, smaller } = this.#hierarchy;
    this.#takeWhole(larger, this.sorted(larger));
    this.#takeWhole(smaller, this.groups);
    this.#takeWhole("core", this.cores);
  }

  /** Takes single CPUs until none is missing. */
  takeSingle(): void {
    for (const cpu of this.cores.flatMap((core) => this.in("core", core).numbers)) {
      if (this.#missing <= 0) return;
      this.take(CpuSet.of([cpu]));
    }
  }

  #takeWhole(level: CpuLevel, ids: readonly number[]): void {
    for (const id of ids) {
      const whole = this.topology.cpusIn(level, id);
      if (whole.size <= this.#missing && whole.isSubsetOf(this.#free)) this.take(whole);
    }
  }

  /** A socket may consist of NUMA nodes, or a NUMA node of sockets. */
  get #hierarchy(): { readonly larger: CpuLevel; readonly smaller: CpuLevel } {
    const { topology } = this;
    return topology.count("socket") >= topology.count("node")
      ? { larger: "node", smaller: "socket" }
      : { larger: "socket", smaller: "node" };
  }
}
