import type { core } from "@orchernetes/api";
import { CpuSet } from "../topology/cpu-set.ts";
import type { CpuTopology } from "../topology/cpu-topology.ts";
import { nodesOf } from "../topology/numa-mask.ts";
import { AdmissionError } from "../topology-manager/admission-error.ts";
import type { HintProvider, ResourceHints, TopologyHint } from "../topology-manager/hint.ts";
import { cpuHints, cpusIn } from "./cpu-hints.ts";
import type { CpuOptions } from "./cpu-options.ts";
import type { CpuState } from "./cpu-state.ts";
import { distributeCpus } from "./distribute-cpus.ts";
import { guaranteedCpus, podGuaranteedCpus } from "./guaranteed-cpus.ts";
import { packCpus } from "./pack-cpus.ts";

/**
 * Assigns exclusive CPUs to containers of Guaranteed pods. Other containers share the rest, which always includes the reserved
 * CPUs. Init containers terminate before the others start, so their CPUs are reused in the same pod.
 */
export class StaticCpuPolicy implements HintProvider {
  readonly reserved: CpuSet;
  readonly #topology: CpuTopology;
  readonly #options: CpuOptions;
  readonly #state: CpuState;

  /**
   * @param reserved the CPUs, or how many
   * @throws Error if the CPUs cannot be reserved, or the state does not fit to them or to the machine
   */
  constructor(topology: CpuTopology, options: CpuOptions, reserved: CpuSet | number, state: CpuState) {
    this.#topology = topology;
    this.#options = options;
    this.#state = state;
    if (options.alignBySocket && topology.count("socket") > topology.count("node"))
      throw new Error(
        "Align by socket is not compatible with hardware where number of sockets are more than number of NUMA",
      );
    this.reserved = typeof reserved === "number" ? this.#choose(topology.cpus, reserved) : reserved;
    if (!this.reserved.isSubsetOf(topology.cpus))
      throw new Error(
        `[cpumanager] unable to reserve CPUs "${this.reserved}": the machine has "${topology.cpus}"; want some of these`,
      );
    this.#validateState();
  }

  /** CPUs that can be assigned exclusively. */
  get allocatable(): CpuSet {
    return this.#topology.cpus.difference(this.reserved);
  }

  concerns(pod: core.Pod): boolean {
    return podGuaranteedCpus(pod) > 0;
  }

  containerHints(pod: core.Pod, container: core.Container): ResourceHints {
    const wanted = guaranteedCpus(pod, container);
    if (wanted === 0) return new Map();
    const uid = pod.metadata.uid ?? "";
    const allocated = this.#state.of(uid, container.name);
    if (allocated === undefined) return this.#hints(wanted, this.#available, this.#reusable(pod));
    return allocated.size === wanted ? this.#hints(wanted, allocated) : new Map([["cpu", []]]);
  }

  podHints(pod: core.Pod): ResourceHints {
    const wanted = podGuaranteedCpus(pod);
    if (wanted === 0) return new Map();
    const uid = pod.metadata.uid ?? "";
    const all = [...(pod.spec.initContainers ?? []), ...pod.spec.containers];
    const assigned = all.flatMap((container) => {
      const cpus = this.#state.of(uid, container.name);
      return cpus === undefined ? [] : [{ cpus, wanted: guaranteedCpus(pod, container) }];
    });
    if (assigned.some(({ cpus, wanted: ofContainer }) => cpus.size !== ofContainer)) return new Map([["cpu", []]]);
    const cpus = CpuSet.union(assigned.map((one) => one.cpus));
    if (cpus.size === wanted) return this.#hints(wanted, cpus);
    return this.#hints(wanted, this.#available, cpus);
  }

  /** @throws AdmissionError; Error if there are not enough CPUs */
  allocate(pod: core.Pod, container: core.Container, { nodes }: TopologyHint): undefined {
    const wanted = guaranteedCpus(pod, container);
    const uid = pod.metadata.uid ?? "";
    if (wanted === 0) return;
    const reusable = this.#reusable(pod);
    const isAllocated = this.#state.of(uid, container.name) !== undefined;
    if (this.#options.fullCoresOnly)
      this.#checkCores(wanted, isAllocated ? undefined : this.#available.union(reusable));
    if (isAllocated) return;
    this.#state.assign(uid, container.name, this.#chooseOn(nodes, this.#available.union(reusable), wanted));
  }

  release(podUid: string): void {
    this.#state.release(podUid);
  }

  /** CPUs of the shared pool, without the reserved ones. */
  get #available(): CpuSet {
    return this.#state.shared.difference(this.reserved);
  }

  #hints(wanted: number, available: CpuSet, reusable: CpuSet = CpuSet.empty): ResourceHints {
    const { alignBySocket } = this.#options;
    return new Map([["cpu", cpuHints(this.#topology, wanted, { available, reusable }, alignBySocket)]]);
  }

  /** CPUs of init containers that no other container of the pod has. */
  #reusable(pod: core.Pod): CpuSet {
    const of = (containers: readonly core.Container[] = []) =>
      CpuSet.union(containers.map(({ name }) => this.#state.of(pod.metadata.uid ?? "", name) ?? CpuSet.empty));
    return of(pod.spec.initContainers).difference(of(pod.spec.containers));
  }

  /** Takes CPUs of the chosen NUMA nodes first. */
  #chooseOn(nodes: bigint | undefined, free: CpuSet, wanted: number): CpuSet {
    const near = nodes === undefined ? CpuSet.empty : free.intersection(this.#near(nodes));
    const aligned = this.#choose(near, Math.min(wanted, near.size));
    return aligned.union(this.#choose(free.difference(aligned), wanted - aligned.size));
  }

  #near(nodes: bigint): CpuSet {
    if (!this.#options.alignBySocket) return cpusIn(this.#topology, nodes);
    const sockets = nodesOf(nodes).flatMap((node) =>
      this.#topology.idsOf("socket", this.#topology.cpusIn("node", node)),
    );
    return CpuSet.union(sockets.map((socket) => this.#topology.cpusIn("socket", socket)));
  }

  #choose(available: CpuSet, wanted: number): CpuSet {
    if (!this.#options.distributeAcrossNuma) return packCpus(this.#topology, available, wanted);
    const groupSize = this.#options.fullCoresOnly ? this.#topology.cpusPerCore : 1;
    return distributeCpus(this.#topology, available, wanted, groupSize);
  }

  #checkCores(wanted: number, free: CpuSet | undefined): void {
    const { cpusPerCore } = this.#topology;
    if (wanted % cpusPerCore !== 0)
      throw new AdmissionError(
        "SMTAlignmentError",
        `SMT Alignment Error: requested ${wanted} cpus not multiple cpus per core = ${cpusPerCore}`,
      );
    if (free === undefined) return;
    const whole = free.filter((cpu) =>
      this.#topology.cpusIn("core", this.#topology.idOf("core", cpu)).isSubsetOf(free),
    );
    if (wanted > whole.size)
      throw new AdmissionError(
        "SMTAlignmentError",
        `SMT Alignment Error: not enough free physical CPUs: available physical CPUs = ${whole.size}, requested CPUs = ${wanted}, CPUs per core = ${cpusPerCore}`,
      );
  }

  #validateState(): void {
    const { shared, assignments } = this.#state;
    if (shared.size === 0) {
      if (assignments.size > 0) throw invalidState("default cpuset cannot be empty");
      this.#state.share(this.#topology.cpus);
      return;
    }
    if (!this.reserved.isSubsetOf(shared))
      throw invalidState(`not all reserved cpus: "${this.reserved}" are present in defaultCpuSet: "${shared}"`);
    const known = [shared];
    for (const [uid, ofPod] of assignments)
      for (const [name, cpus] of ofPod) {
        known.push(cpus);
        if (cpus.intersection(shared).size > 0)
          throw invalidState(
            `pod: ${uid}, container: ${name} cpuset: "${cpus}" overlaps with default cpuset "${shared}"`,
          );
      }
    const all = CpuSet.union(known);
    if (!all.equals(this.#topology.cpus))
      throw invalidState(
        `current set of available CPUs "${this.#topology.cpus}" doesn't match with CPUs in state "${all}"`,
      );
  }
}

const invalidState = (message: string): Error =>
  new Error(`Static policy invalid state, please drain node and remove policy state file: ${message}`);
