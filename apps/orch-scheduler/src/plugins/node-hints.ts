import type { core } from "@orchernetes/api";
import { podRequestUnits, unitAmountOf } from "@orchernetes/component-helpers";
import { hostPortsConflict } from "../cache/host-ports.ts";
import { hostPorts } from "../cache/pod-demand.ts";
import type { PodInfo } from "../cache/pod-info.ts";
import type { QueueingHint } from "../framework/cluster-change.ts";

/**
 * The hint of a plugin that compares a pod with single nodes, whatever pods are there: a node helps that passes now, and did
 * not before.
 */
export const whenNodePasses =
  (passes: (pod: PodInfo, node: core.Node) => boolean): QueueingHint =>
  (pod, { resource, old, now }) => {
    if (resource !== "Node" || now === undefined) return "queue";
    return passes(pod, now) && (old === undefined || !passes(pod, old)) ? "queue" : "skip";
  };

const offered = ({ status }: core.Node, resource: string): number =>
  unitAmountOf(resource, status.allocatable?.[resource] ?? "0");

/** Whether an empty node of this size would have room. */
const isLargeEnough = ({ requests }: PodInfo, node: core.Node): boolean =>
  offered(node, "pods") >= 1 && [...requests].every(([name, amount]) => offered(node, name) >= amount);

/** Whether a node offers more than before of something that the pod needs. */
const grows = ({ requests }: PodInfo, old: core.Node, now: core.Node): boolean =>
  [...requests.keys(), "pods"].some((name) => offered(now, name) > offered(old, name));

function requestsLess({ requests }: PodInfo, old: core.Pod, now: core.Pod): boolean {
  const [before, after] = [podRequestUnits(old.spec), podRequestUnits(now.spec)];
  return [...requests.keys()].some((name) => (after.get(name) ?? 0) < (before.get(name) ?? 0));
}

/** Hint of NodeResourcesFit: a node that is large enough and has grown, a pod that left, or one that requests less. */
export const resourcesHint: QueueingHint = (pod, { resource, old, now }) => {
  if (resource === "Node" && now !== undefined)
    return isLargeEnough(pod, now) && (old === undefined || grows(pod, old, now)) ? "queue" : "skip";
  // Every pod that leaves makes room for another one, whatever it requested.
  if (resource === "Pod" && old !== undefined && now !== undefined)
    return requestsLess(pod, old, now) ? "queue" : "skip";
  return "queue";
};

/** Hint of NodePorts: a new node, or a pod that left and had one of the ports. */
export const portsHint: QueueingHint = ({ hostPorts: wanted }, { resource, old, now }) => {
  if (resource !== "Pod") return "queue";
  if (old === undefined || now !== undefined) return "skip";
  const freed = hostPorts(old.spec);
  return wanted.some((port) => freed.some((other) => hostPortsConflict(port, other))) ? "queue" : "skip";
};
