import { core } from "@orchernetes/api";
import { nodeMatchesPod, podRequestUnits, unitAmountOf, untoleratedTaints } from "@orchernetes/component-helpers";
import { isStaticPod } from "../types/pod-identity.ts";
import type { Refusal } from "../types/refusal.ts";
import { hostPortsConflict } from "./host-ports.ts";

/** Resources in the order in which a shortage is reported; others follow. */
const firstReported = ["pods", "cpu", "memory", "ephemeral-storage"];

const predicate = (name: string, dependsOnNode = true): Refusal => ({
  reason: name,
  message: `Predicate ${name} failed`,
  dependsOnNode,
});

const osLabel = "orchernetes.io/os";

/**
 * Why a pod does not fit on its node: operating system, resources, node affinity and selector, name, host ports, and NoExecute
 * taints (static pods ignore those). Pure; returns the first reason.
 *
 * @param others pods of this node that hold resources
 */
export function refusalByFit(pod: core.Pod, others: readonly core.Pod[], node: core.Node): Refusal | undefined {
  const { spec } = pod;
  const os = node.status?.nodeInfo?.operatingSystem;
  // The pod's own label: a selector is a matter of node affinity.
  const podLabel = pod.metadata.labels?.[osLabel];
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
  const shortage = refusalByResources(pod, others, node.status?.allocatable ?? {});
  if (shortage !== undefined) return shortage;
  if (!nodeMatchesPod(node, spec)) return predicate("NodeAffinity");
  if (spec.nodeName && spec.nodeName !== node.metadata.name) return predicate("NodeName", false);
  if (hostPortsConflict(pod, others)) return predicate("NodePorts", false);
  if (!isStaticPod(pod) && untoleratedTaints(node.spec?.taints, spec.tolerations, ["NoExecute"]).length > 0)
    return predicate("TaintToleration");
  return undefined;
}

function refusalByResources(
  pod: core.Pod,
  others: readonly core.Pod[],
  allocatable: Readonly<Record<string, string>>,
): Refusal | undefined {
  const wanted = podRequestUnits(pod.spec);
  const held = others.map(({ spec }) => podRequestUnits(spec));
  const names = new Set([...firstReported, ...wanted.keys()]);
  for (const resource of names) {
    // Ignore extended resources that the node does not have: other components manage them.
    if (core.isExtendedResource(resource) && allocatable[resource] === undefined) continue;
    const amount = resource === "pods" ? 1 : (wanted.get(resource) ?? 0);
    if (amount === 0) continue;
    const total = unitAmountOf(resource, allocatable[resource] ?? "0");
    const used =
      resource === "pods" ? others.length : held.reduce((sum, requests) => sum + (requests.get(resource) ?? 0), 0);
    if (used + amount > total)
      return {
        reason: `OutOf${resource}`,
        message: `Node didn't have enough resource: ${resource}, requested: ${amount}, used: ${used}, capacity: ${total}`,
        dependsOnNode: true,
      };
  }
  return undefined;
}
