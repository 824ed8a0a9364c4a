import { ClusterEvent, type ClusterEvents } from "../framework/interfaces.ts";
import type { WakeEvent } from "./explanation.ts";

const texts: Readonly<Record<keyof typeof ClusterEvent, string>> = {
  NodeAdded: "a node is added",
  NodeAllocatable: "the allocatable resources of a node change",
  NodeLabels: "the labels of a node change",
  NodeTaints: "the taints of a node change, or it is uncordoned",
  PodDeleted: "a pod on a node is deleted, or requests less",
  PodAdded: "a pod is added to a node, or changes its labels there",
  Claim: "a claim appears or changes",
  Namespace: "a namespace appears or changes its labels",
  NodeDeleted: "a node is removed",
  PersistentVolume: "a persistent volume appears or changes",
  StorageClass: "a storage class appears or changes",
  CsiNode: "a CSINode appears or changes",
  CsiDriver: "a CSIDriver appears or changes",
  CsiStorageCapacity: "a CSIStorageCapacity appears or changes",
};

/**
 * The events that may help a pod, each with the plugins that wait for it.
 *
 * @param plugins the plugins that refused the pod or a node, with the events that can change their verdict
 */
export function wakeEvents(
  plugins: readonly { readonly name: string; readonly events: ClusterEvents }[],
): readonly WakeEvent[] {
  return (Object.keys(texts) as (keyof typeof ClusterEvent)[]).flatMap((event): readonly WakeEvent[] => {
    const waiting = plugins.filter(({ events }) => (events & ClusterEvent[event]) !== 0).map(({ name }) => name);
    return waiting.length === 0 ? [] : [{ event, text: texts[event], plugins: waiting }];
  });
}
