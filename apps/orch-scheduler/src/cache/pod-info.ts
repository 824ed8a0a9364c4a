import type { core } from "@orchernetes/api";
import { keyOf, type Stored } from "@orchernetes/apimachinery";
import { claimsOfPod, podPriority, podRequestUnits, type UnitAmounts } from "@orchernetes/component-helpers";
import { type AffinityTerm, affinityTerms } from "./affinity-term.ts";
import { nonZeroRequests } from "./non-zero-requests.ts";
import { type PodClass, podClassOf } from "./pod-class.ts";

/** A host port of a pod. */
export interface HostPort {
  readonly ip: string;
  readonly protocol: string;
  readonly port: number;
}

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

const NO_PORTS: readonly HostPort[] = [];
const NO_CLAIMS: readonly string[] = [];

function claimKeys(pod: core.Pod, namespace: string): readonly string[] {
  if (pod.spec.volumes === undefined) return NO_CLAIMS;
  const claims = claimsOfPod(pod);
  return claims.length === 0 ? NO_CLAIMS : [...new Set(claims.map(({ name }) => `${namespace}/${name}`))];
}

/**
 * Returns the host ports of a pod. Init containers are ignored, as upstream does: they have ended when the others
 * start. Most pods have none, and share one empty list.
 */
export function hostPorts(spec: core.PodSpec): readonly HostPort[] {
  let ports: HostPort[] | undefined;
  for (const container of spec.containers)
    for (const { hostPort, hostIP, protocol } of container.ports ?? [])
      if (hostPort) {
        ports ??= [];
        ports.push({ ip: hostIP || "0.0.0.0", protocol: protocol ?? "TCP", port: hostPort });
      }
  return ports ?? NO_PORTS;
}

/** Computes what scheduling needs of a pod. @throws QuantityError or SelectorError when the pod is not valid */
export function podInfo(pod: Stored<core.Pod>): PodInfo {
  const namespace = pod.metadata.namespace ?? "";
  const nonZero = nonZeroRequests(pod.spec);
  return {
    key: keyOf(pod),
    namespace,
    uid: pod.metadata.uid,
    pod,
    podClass: podClassOf(pod),
    priority: podPriority(pod.spec),
    requests: podRequestUnits(pod.spec),
    nonZeroCpu: nonZero.cpu,
    nonZeroMemory: nonZero.memory,
    hostPorts: hostPorts(pod.spec),
    claims: claimKeys(pod, namespace),
    terms: affinityTerms(pod.spec, namespace),
    nominatedNodeName: pod.status.nominatedNodeName ?? "",
  };
}
