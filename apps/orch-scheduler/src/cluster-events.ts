import type { core } from "@orchernetes/api";
import { ClusterEvent, type ClusterEvents } from "./framework/interfaces.ts";

const differ = (a: unknown, b: unknown): boolean => a !== b && JSON.stringify(a ?? null) !== JSON.stringify(b ?? null);

/** What a change of a node may do for pods that found no place; 0 if nothing. */
export function nodeChange(old: core.Node, node: core.Node): ClusterEvents {
  let events: ClusterEvents = 0;
  if (differ(old.status.allocatable, node.status.allocatable)) events |= ClusterEvent.NodeAllocatable;
  if (differ(old.metadata.labels, node.metadata.labels)) events |= ClusterEvent.NodeLabels;
  if (differ(old.spec.taints, node.spec.taints) || old.spec.unschedulable !== node.spec.unschedulable)
    events |= ClusterEvent.NodeTaints;
  return events;
}

/** Whether a change of a waiting pod may make it schedulable: status changes do not. */
export function podChangeMayHelp(old: core.Pod, pod: core.Pod): boolean {
  return differ(old.spec, pod.spec) || differ(old.metadata.labels, pod.metadata.labels);
}
