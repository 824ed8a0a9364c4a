import type { core } from "@orchernetes/api";
import type { NumaMask } from "../topology/numa-mask.ts";

/** On which NUMA nodes a resource could be allocated. */
export interface TopologyHint {
  /** Undefined: on any. */
  readonly nodes: NumaMask | undefined;
  /** Whether no smaller number of nodes could ever be enough. */
  readonly preferred: boolean;
}

/** The hints of resources by their names. Undefined: any node does. No hint: it is impossible to align the resource. */
export type ResourceHints = ReadonlyMap<string, readonly TopologyHint[] | undefined>;

/** No node is better than another. */
export const anyNode: TopologyHint = Object.freeze({ nodes: undefined, preferred: true });

/** A manager that allocates resources of NUMA nodes to containers. */
export interface HintProvider {
  /** Whether the manager allocates anything to the pod. */
  concerns(pod: core.Pod): boolean;
  containerHints(pod: core.Pod, container: core.Container): ResourceHints;
  /** Hints for all containers of the pod together. */
  podHints(pod: core.Pod): ResourceHints;
  /**
   * Allocates what the container requests. Idempotent.
   *
   * @param affinity the nodes that were chosen for all resources
   * @throws AdmissionError, or another error that is unexpected
   */
  allocate(
    pod: core.Pod,
    container: core.Container,
    affinity: TopologyHint,
    signal: AbortSignal,
  ): Promise<void> | undefined;
  /** Releases what containers of a pod have. Idempotent. */
  release(podUid: string): void;
}
