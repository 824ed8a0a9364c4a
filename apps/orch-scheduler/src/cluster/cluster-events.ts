import type { core } from "@orchernetes/api";
import { isPreempted } from "../cache/disruption.ts";
import { ClusterEvent, type ClusterEvents } from "../framework/interfaces.ts";

const differ = (a: unknown, b: unknown): boolean => a !== b && JSON.stringify(a ?? null) !== JSON.stringify(b ?? null);

/**
 * The cluster events of a change of a node; 0 if it cannot help unschedulable pods. Only the pods that an event may help are
 * retried, so that the cost of a heartbeat or a label does not grow with the number of pending pods.
 */
export function nodeChange(old: core.Node, node: core.Node): ClusterEvents {
  let events: ClusterEvents = 0;
  if (differ(old.status.allocatable, node.status.allocatable)) events |= ClusterEvent.NodeAllocatable;
  if (differ(old.metadata.labels, node.metadata.labels)) events |= ClusterEvent.NodeLabels;
  if (differ(old.spec.taints, node.spec.taints) || becomesSchedulable(old, node)) events |= ClusterEvent.NodeTaints;
  return events;
}

/** The name of a change of a node in metrics: that of the first of its events, in upstream's order. */
export function nodeChangeLabel(events: ClusterEvents, old: core.Node, node: core.Node): string {
  if (becomesSchedulable(old, node)) return "NodeSpecUnschedulableChange";
  if (events & ClusterEvent.NodeAllocatable) return "NodeAllocatableChange";
  return events & ClusterEvent.NodeLabels ? "NodeLabelChange" : "NodeTaintChange";
}

/** A node that is cordoned helps no pod. */
const becomesSchedulable = (old: core.Node, node: core.Node): boolean =>
  old.spec.unschedulable === true && !node.spec.unschedulable;

/** Whether what decisions read of a node has changed in a way that helps no pod: its images, on which only scores depend, or a cordon. */
export const changesQuietly = (old: core.Node, node: core.Node): boolean =>
  differ(old.status.images, node.status.images) || Boolean(old.spec.unschedulable) !== Boolean(node.spec.unschedulable);

/**
 * Whether a waiting pod is to be tried after a change of it: not after changes of its status. After the begin of its deletion, the
 * attempt reports that it is skipped.
 */
export function podChangeMayHelp(old: core.Pod, pod: core.Pod): boolean {
  return terminationDiffers(old, pod) || differ(old.spec, pod.spec) || differ(old.metadata.labels, pod.metadata.labels);
}

const terminationDiffers = (old: core.Pod, pod: core.Pod): boolean =>
  Boolean(old.metadata.deletionTimestamp) !== Boolean(pod.metadata.deletionTimestamp);

/**
 * The cluster events of a change of a pod on a node: 0 if it only affects preemption, undefined if nothing relevant has changed.
 */
export function placedPodChange(old: core.Pod, pod: core.Pod): ClusterEvents | undefined {
  const labels = differ(old.metadata.labels, pod.metadata.labels);
  const requests = old.spec !== pod.spec && differ(requestsOf(old), requestsOf(pod));
  const terminates = terminationDiffers(old, pod);
  const started = old.status.startTime !== pod.status.startTime;
  // Whether a scheduler preempts a terminating pod decides whether others wait for its end.
  const disrupted = Boolean(pod.metadata.deletionTimestamp) && isPreempted(old.status) !== isPreempted(pod.status);
  if (!labels && !requests && !terminates && !started && !disrupted) return undefined;
  return (labels ? ClusterEvent.PodAdded : 0) | (requests || terminates || labels ? ClusterEvent.PodDeleted : 0);
}

const requestsOf = ({ spec }: core.Pod): unknown => spec.containers.map(({ resources }) => resources?.requests);
