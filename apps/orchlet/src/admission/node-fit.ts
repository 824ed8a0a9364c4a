import { core } from "@orchernetes/api";
import { nodeMatchesPod, podRequestUnits, unitAmountOf, untoleratedTaints } from "@orchernetes/component-helpers";
import type { Refusal } from "../types/pod-failure.ts";
import { isStaticPod } from "../types/pod-identity.ts";
import { hostPortsConflict } from "./host-ports.ts";

/** Resources in the order in which a shortage is reported; others follow. */
const firstReported = ["pods", "cpu", "memory", "ephemeral-storage"];

const predicate = (name: string, dependsOnNode = true): Refusal => ({
  reason: name,
  message: `Predicate ${name} failed`,
  dependsOnNode,
});

const osLabel = "orchernetes.io/os";

/** A resource that a node has too little of for a pod. */
export interface Shortage {
  readonly resource: string;
  /** How much is missing: thousandths of CPU, otherwise whole units. */
  readonly missing: number;
}

/** Why a pod does not fit on its node. */
export interface FitRefusal extends Refusal {
  /** The resource that is short, if the reason is one. */
  readonly shortage?: Shortage;
}

/**
 * Why a pod does not fit on its node: operating system, resources, node affinity and selector, name, host ports, and NoExecute
 * taints (static pods ignore those). Pure; returns every reason in this order, except that a wrong operating system is the only one.
 *
 * @param others pods of this node that hold resources
 */
export function refusalsByFit(pod: core.Pod, others: readonly core.Pod[], node: core.Node): readonly FitRefusal[] {
  const { spec } = pod;
  const wrongSystem = refusalBySystem(pod, node.status?.nodeInfo?.operatingSystem);
  if (wrongSystem !== undefined) return [wrongSystem];
  const refusals: FitRefusal[] = [...refusalsByResources(pod, others, node.status?.allocatable ?? {})];
  if (!nodeMatchesPod(node, spec)) refusals.push(predicate("NodeAffinity"));
  if (spec.nodeName && spec.nodeName !== node.metadata.name) refusals.push(predicate("NodeName", false));
  if (hostPortsConflict(pod, others)) refusals.push(predicate("NodePorts", false));
  if (!isStaticPod(pod) && untoleratedTaints(node.spec?.taints, spec.tolerations, ["NoExecute"]).length > 0)
    refusals.push(predicate("TaintToleration"));
  return refusals;
}

function refusalBySystem({ metadata, spec }: core.Pod, os: string | undefined): Refusal | undefined {
  // The pod's own label: a selector is a matter of node affinity.
  const podLabel = metadata.labels?.[osLabel];
  if (podLabel !== undefined && podLabel !== os)
    return {
      reason: "PodOSSelectorNodeLabelDoesNotMatch",
      message: `Failed to admit pod as the \`${osLabel}\` label doesn't match node label`,
      dependsOnNode: false,
    };
  if (spec.os !== undefined && spec.os.name !== os)
    return {
      reason: "PodOSNotSupported",
      message: "Failed to admit pod as the OS field doesn't match node OS",
      dependsOnNode: false,
    };
  return undefined;
}

function refusalsByResources(
  pod: core.Pod,
  others: readonly core.Pod[],
  allocatable: Readonly<Record<string, string>>,
): readonly FitRefusal[] {
  const wanted = podRequestUnits(pod.spec);
  const held = others.map(({ spec }) => podRequestUnits(spec));
  const names = [...new Set([...firstReported, ...wanted.keys()])];
  return names.flatMap((resource) => {
    // Ignore extended resources that the node does not have: other components manage them.
    if (core.isExtendedResource(resource) && allocatable[resource] === undefined) return [];
    const amount = resource === "pods" ? 1 : (wanted.get(resource) ?? 0);
    if (amount === 0) return [];
    const total = unitAmountOf(resource, allocatable[resource] ?? "0");
    const used =
      resource === "pods" ? others.length : held.reduce((sum, requests) => sum + (requests.get(resource) ?? 0), 0);
    const missing = used + amount - total;
    if (missing <= 0) return [];
    return {
      reason: `OutOf${resource}`,
      message: `Node didn't have enough resource: ${resource}, requested: ${amount}, used: ${used}, capacity: ${total}`,
      dependsOnNode: true,
      shortage: { resource, missing },
    };
  });
}
