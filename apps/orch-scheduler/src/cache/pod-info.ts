import type { core } from "@orchernetes/api";
import { keyOf, type Stored } from "@orchernetes/apimachinery";
import { claimsOfPod, podPriority, type UnitAmounts } from "@orchernetes/component-helpers";
import { type AffinityTerm, affinityTerms } from "./affinity-term.ts";
import { type PodClass, podClassOf } from "./pod-class.ts";
import { type HostPort, type PodDemand, podDemand } from "./pod-demand.ts";

/** A pod with everything that scheduling computes of it, once per version of the pod. */
export interface PodInfo {
  /** `namespace/name`. */
  readonly key: string;
  readonly namespace: string;
  readonly uid: string;
  readonly pod: Stored<core.Pod>;
  /** Its class for label queries. */
  readonly podClass: PodClass;
  readonly priority: number;
  /** What it takes of a node; the next four are parts of it. */
  readonly demand: PodDemand;
  readonly requests: UnitAmounts;
  readonly nonZeroCpu: number;
  readonly nonZeroMemory: number;
  readonly hostPorts: readonly HostPort[];
  /** Keys of the claims that its volumes use; one shared list for pods without claims. */
  readonly claims: readonly string[];
  /** Undefined for pods without inter-pod affinity, which are most. */
  readonly terms: readonly AffinityTerm[] | undefined;
  /** Node that an earlier attempt nominated; "" for none. */
  readonly nominatedNodeName: string;
}

/** There is one for each pod of the cluster, so it keeps nothing that a shared part has. */
class SharingPodInfo implements PodInfo {
  readonly key: string;
  readonly pod: Stored<core.Pod>;
  readonly podClass: PodClass;
  /** Read for every pod of many nodes by a preemption. */
  readonly priority: number;
  readonly demand: PodDemand;
  readonly claims: readonly string[];
  readonly terms: readonly AffinityTerm[] | undefined;

  constructor(pod: Stored<core.Pod>) {
    const { spec } = pod;
    this.key = keyOf(pod);
    this.pod = pod;
    this.podClass = podClassOf(pod);
    this.priority = podPriority(spec);
    this.demand = podDemand(spec);
    const { namespace } = this.podClass;
    this.claims = claimKeys(pod, namespace);
    this.terms = affinityTerms(spec, namespace);
  }

  get namespace(): string {
    return this.podClass.namespace;
  }

  get uid(): string {
    return this.pod.metadata.uid;
  }

  get requests(): UnitAmounts {
    return this.demand.requests;
  }

  get nonZeroCpu(): number {
    return this.demand.nonZeroCpu;
  }

  get nonZeroMemory(): number {
    return this.demand.nonZeroMemory;
  }

  get hostPorts(): readonly HostPort[] {
    return this.demand.hostPorts;
  }

  get nominatedNodeName(): string {
    return this.pod.status.nominatedNodeName ?? "";
  }
}

const NO_CLAIMS: readonly string[] = [];

function claimKeys(pod: core.Pod, namespace: string): readonly string[] {
  if (pod.spec.volumes === undefined) return NO_CLAIMS;
  const claims = claimsOfPod(pod);
  return claims.length === 0 ? NO_CLAIMS : [...new Set(claims.map(({ name }) => `${namespace}/${name}`))];
}

/** Computes the properties of a pod that scheduling uses. @throws QuantityError or SelectorError if the pod is invalid */
export const podInfo = (pod: Stored<core.Pod>): PodInfo => new SharingPodInfo(pod);
