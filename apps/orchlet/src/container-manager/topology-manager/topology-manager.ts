import type { core } from "@orchernetes/api";
import { exponentialBuckets, type Metrics } from "@orchernetes/component";
import type { OrchletConfiguration } from "@orchernetes/config";
import type { Clock } from "@orchernetes/kernel";
import type { Refusal } from "../../types/pod-failure.ts";
import type { NumaNode } from "../topology/machine-topology.ts";
import { maskOf } from "../topology/numa-mask.ts";
import { AdmissionError, refusalOf } from "./admission-error.ts";
import { anyNode, type HintProvider, type ResourceHints, type TopologyHint } from "./hint.ts";
import { closest, narrowest } from "./numa-distances.ts";
import { decideTopology } from "./policies.ts";
import { prefersClosest } from "./topology-options.ts";

/** All combinations of nodes are looked at, so their number is limited, as in the original. */
const maxNodes = 8;

/** Allocates the resources of pods, on NUMA nodes that suit all of them. */
export interface TopologyManager {
  /**
   * Allocates the resources of the pod's containers. Containers that have theirs keep them.
   *
   * @returns why that is impossible; then some may have been allocated
   */
  admit(pod: core.Pod, signal: AbortSignal): Promise<Refusal | undefined>;
}

/** What the topology manager depends on. */
export interface TopologyManagerOptions {
  readonly settings: Pick<
    OrchletConfiguration,
    "topologyManagerPolicy" | "topologyManagerScope" | "topologyManagerPolicyOptions"
  >;
  readonly nodes: readonly NumaNode[];
  readonly providers: readonly HintProvider[];
  readonly metrics: Metrics;
  readonly clock: Pick<Clock, "monotonicMs">;
}

/** Creates the manager. @throws Error if the machine has too many NUMA nodes */
export function createTopologyManager(options: TopologyManagerOptions): TopologyManager {
  const { nodes, providers, clock } = options;
  const { topologyManagerPolicy: policy, topologyManagerScope, topologyManagerPolicyOptions } = options.settings;
  if (policy !== "none" && nodes.length > maxNodes)
    throw new Error(
      `field topologyManagerPolicy: unsupported on machines with more than ${maxNodes} NUMA Nodes: found ${nodes.length}; want none`,
    );
  const all = maskOf(nodes.map(({ id }) => id));
  const compare = prefersClosest(topologyManagerPolicyOptions) ? closest(nodes) : narrowest;
  const measures = measuresOf(options.metrics);

  const affinity = (hintsOf: (provider: HintProvider) => ResourceHints): TopologyHint => {
    if (policy === "none") return anyNode;
    const { hint, admit } = decideTopology(policy, providers.map(hintsOf), all, compare);
    if (!admit)
      throw new AdmissionError("TopologyAffinityError", "Resources cannot be allocated with Topology locality");
    return hint;
  };

  const allocate = async (pod: core.Pod, signal: AbortSignal): Promise<void> => {
    const ofPod = topologyManagerScope === "pod" ? affinity((provider) => provider.podHints(pod)) : undefined;
    for (const container of [...(pod.spec.initContainers ?? []), ...pod.spec.containers]) {
      const hint = ofPod ?? affinity((provider) => provider.containerHints(pod, container));
      for (const provider of providers) await provider.allocate(pod, container, hint, signal);
    }
  };

  return {
    async admit(pod, signal) {
      const startMs = clock.monotonicMs();
      measures.requests.inc();
      try {
        await allocate(pod, signal);
        return undefined;
      } catch (error) {
        signal.throwIfAborted();
        // Without a policy, nothing was to be aligned.
        if (policy !== "none") measures.errors.inc();
        return refusalOf(error);
      } finally {
        measures.duration.observe(clock.monotonicMs() - startMs);
      }
    },
  };
}

const measuresOf = (metrics: Metrics) => ({
  requests: metrics.counter({
    name: "orchlet_topology_manager_admission_requests_total",
    help: "The number of admission requests where resources have to be aligned.",
  }),
  errors: metrics.counter({
    name: "orchlet_topology_manager_admission_errors_total",
    help: "The number of admission request failures where resources could not be aligned.",
  }),
  duration: metrics.histogram({
    name: "orchlet_topology_manager_admission_duration_ms",
    help: "Duration in milliseconds to serve a pod admission request.",
    buckets: exponentialBuckets(0.05, 2, 15),
  }),
});
