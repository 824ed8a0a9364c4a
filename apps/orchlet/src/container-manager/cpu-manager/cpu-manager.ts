import { join } from "node:path";
import type { core } from "@orchernetes/api";
import { milliValueOf } from "@orchernetes/apimachinery";
import type { Metrics } from "@orchernetes/component";
import type { OrchletConfiguration } from "@orchernetes/config";
import { CpuSet } from "../topology/cpu-set.ts";
import type { CpuTopology } from "../topology/cpu-topology.ts";
import type { HintProvider, TopologyHint } from "../topology-manager/hint.ts";
import { readCpuOptions } from "./cpu-options.ts";
import { CpuState } from "./cpu-state.ts";
import { guaranteedCpus } from "./guaranteed-cpus.ts";
import { StaticCpuPolicy } from "./static-cpu-policy.ts";

/** Decides which CPUs each container may use. */
export interface CpuManager {
  /** Undefined with policy `none`, which assigns no CPUs. */
  readonly provider: HintProvider | undefined;
  /** CPUs that can be assigned exclusively; empty with policy `none`. */
  readonly allocatable: CpuSet;
  /** The exclusive CPUs of a container; empty if it has none. */
  exclusive(podUid: string, container: string): CpuSet;
  /** The CPUs that a container may use; empty for all. */
  cpusOf(podUid: string, container: string): CpuSet;
  /** Uids of the pods with exclusive CPUs. */
  pods(): readonly string[];
}

/** The options of the CPU manager. */
export interface CpuManagerOptions {
  /** The folder of the state file. */
  readonly folder: string;
  readonly settings: Pick<
    OrchletConfiguration,
    "cpuManagerPolicy" | "cpuManagerPolicyOptions" | "reservedSystemCPUs" | "systemReserved" | "orchReserved"
  >;
  readonly topology: CpuTopology;
  readonly metrics: Metrics;
}

/**
 * Creates the manager, and reads or writes its state file.
 *
 * @throws Error if the state cannot be used, or no CPU is reserved with policy `static`
 */
export function createCpuManager(options: CpuManagerOptions): CpuManager {
  const { settings, topology } = options;
  const state = CpuState.open(join(options.folder, "cpu_manager_state"), settings.cpuManagerPolicy);
  const policyOptions = readCpuOptions(settings.cpuManagerPolicyOptions);
  const policy =
    settings.cpuManagerPolicy === "none"
      ? undefined
      : new StaticCpuPolicy(topology, policyOptions, reservedCpus(settings, topology), state);
  const exclusive = (podUid: string, container: string) => state.of(podUid, container) ?? CpuSet.empty;
  return {
    provider: policy && measured(policy, options.metrics),
    allocatable: policy?.allocatable ?? CpuSet.empty,
    exclusive,
    cpusOf: (podUid, container) => state.of(podUid, container) ?? state.shared,
    pods: () => [...state.assignments.keys()],
  };
}

/** The reserved CPUs, or their number, rounded up: a CPU is either exclusive or not. */
function reservedCpus(settings: CpuManagerOptions["settings"], topology: CpuTopology): CpuSet | number {
  const named = CpuSet.parse(settings.reservedSystemCPUs);
  if (named.size > 0) return named;
  const milli = [settings.systemReserved.cpu, settings.orchReserved.cpu].reduce(
    (sum, text) => sum + milliValueOf(text ?? "0"),
    0,
  );
  if (milli <= 0)
    throw new Error(
      "[cpumanager] the static policy requires systemreserved.cpu + orchreserved.cpu to be greater than zero",
    );
  const count = Math.ceil(milli / 1000);
  if (count > topology.cpus.size)
    throw new Error(
      `[cpumanager] unable to reserve the required amount of CPUs (size of ${topology.cpus.size} did not equal ${count})`,
    );
  return count;
}

function measured(policy: StaticCpuPolicy, metrics: Metrics): HintProvider {
  const requests = metrics.counter({
    name: "orchlet_cpu_manager_pinning_requests_total",
    help: "The number of cpu core allocations which required pinning.",
  });
  const errors = metrics.counter({
    name: "orchlet_cpu_manager_pinning_errors_total",
    help: "The number of cpu core allocations which required pinning failed.",
  });
  return {
    concerns: (pod) => policy.concerns(pod),
    containerHints: (pod, container) => policy.containerHints(pod, container),
    podHints: (pod) => policy.podHints(pod),
    release: (podUid) => policy.release(podUid),
    allocate(pod: core.Pod, container: core.Container, affinity: TopologyHint) {
      if (guaranteedCpus(pod, container) === 0) return undefined;
      requests.inc();
      try {
        return policy.allocate(pod, container, affinity);
      } catch (error) {
        errors.inc();
        throw error;
      }
    },
  };
}
