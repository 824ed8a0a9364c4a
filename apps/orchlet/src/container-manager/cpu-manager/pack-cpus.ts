import type { CpuSet } from "../topology/cpu-set.ts";
import type { CpuTopology } from "../topology/cpu-topology.ts";
import { FreeCpus } from "./free-cpus.ts";

/**
 * Chooses CPUs that are close to each other: whole NUMA nodes and sockets, then whole cores, then single CPUs of the fullest cores.
 * Pure.
 *
 * @throws Error if there are not enough
 */
export function packCpus(topology: CpuTopology, available: CpuSet, wanted: number): CpuSet {
  const cpus = new FreeCpus(topology, available, wanted);
  if (wanted > available.size) throw notEnoughCpus();
  cpus.takeWholeGroups();
  cpus.takeSingle();
  return cpus.taken;
}

/** The error of a request that the available CPUs cannot satisfy, in the words of the original. */
export const notEnoughCpus = (): Error => new Error("not enough cpus available to satisfy request");
