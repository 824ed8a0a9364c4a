import type { PodInfo } from "../../cache/pod-info.ts";
import type { SchedulingFailure } from "../../framework/interfaces.ts";
import { PodFilters } from "../../framework/pod-filters.ts";

/** Whether a node suits a pod when others, which are nominated, have arrived on their nodes. */
export type SuitsLater = (slot: number) => boolean;

/**
 * Counts the nominated pods on their nodes, as far as affinity and spreading are concerned. Filters do not do that for other nodes than
 * those of the nominated pods, because these may never arrive; so it must decide between equals only.
 *
 * @returns undefined if no other pod is nominated, or nothing can be said
 */
export function suitsLater({ pod, nodes, profile, nominations }: SchedulingFailure): SuitsLater | undefined {
  const arriving: (readonly [number, PodInfo])[] = [];
  for (const [node, pods] of nominations.ahead(pod)) {
    const slot = nodes.slotOf(node);
    if (slot === undefined) continue;
    for (const info of pods) if (nodes.podOn(node, info.key) === undefined) arriving.push([slot, info]);
  }
  if (arriving.length === 0) return undefined;
  const prepared = nodes.countingAlso(arriving, () => PodFilters.prepare(pod, nodes, profile, nominations));
  return "rejected" in prepared ? undefined : (slot) => prepared.passesCounting(slot);
}
