import { join } from "node:path";
import type { core } from "@orchernetes/api";
import type { OrchletConfiguration } from "@orchernetes/config";
import type { NumaNode } from "../topology/machine-topology.ts";
import type { HintProvider } from "../topology-manager/hint.ts";
import { freeMemory, type MemoryBlock } from "./machine-memory.ts";
import { MemoryState } from "./memory-state.ts";
import { type ReservedMemorySettings, reservedMemory } from "./reserved-memory.ts";
import { StaticMemoryPolicy } from "./static-memory-policy.ts";

/** Decides on which NUMA nodes containers get their memory. */
export interface MemoryManager {
  /** Undefined with policy `None`, which assigns nothing. */
  readonly provider: HintProvider | undefined;
  /** The NUMA nodes whose memory a container may use, in ascending order; empty for all. */
  nodesOf(podUid: string, container: string): readonly number[];
  /** The memory of a container. */
  blocksOf(podUid: string, container: string): readonly MemoryBlock[];
  /** Releases the memory of the init containers before a container, which have ended when it starts. Idempotent. */
  releaseInitContainersBefore(pod: core.Pod, container: string): void;
  /** Allocatable memory of each NUMA node. */
  allocatable(): readonly MemoryBlock[];
  /** Uids of the pods that have memory. */
  pods(): readonly string[];
}

/**
 * Creates the manager, and reads or writes its state file.
 *
 * @param folder the folder of the state file
 * @throws Error if the state cannot be used, or `reservedMemory` does not fit to the machine and other reservations
 */
export function createMemoryManager(
  folder: string,
  settings: ReservedMemorySettings & Pick<OrchletConfiguration, "memoryManagerPolicy">,
  nodes: readonly NumaNode[],
): MemoryManager {
  const { memoryManagerPolicy } = settings;
  const state = MemoryState.open(join(folder, "memory_manager_state"), memoryManagerPolicy);
  const provider =
    memoryManagerPolicy === "None"
      ? undefined
      : new StaticMemoryPolicy(state, freeMemory(nodes, reservedMemory(settings, nodes)));
  const blocksOf = (podUid: string, container: string) => state.of(podUid, container) ?? [];
  return {
    provider,
    blocksOf,
    nodesOf: (podUid, container) =>
      [...new Set(blocksOf(podUid, container).flatMap((block) => block.nodes))].sort((a, b) => a - b),
    allocatable: () =>
      provider === undefined
        ? []
        : [...state.content.machine].flatMap(([id, { memory }]) =>
            [...memory].flatMap(([kind, { allocatable }]) =>
              allocatable > 0 ? [{ kind, nodes: [id], bytes: allocatable }] : [],
            ),
          ),
    releaseInitContainersBefore(pod, container) {
      const init = (pod.spec.initContainers ?? []).map(({ name }) => name);
      const before = init.includes(container) ? init.slice(0, init.indexOf(container)) : init;
      provider?.releaseContainers(pod.metadata.uid ?? "", new Set(before));
    },
    pods: () => [...state.content.assignments.keys()],
  };
}
