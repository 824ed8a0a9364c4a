import type { PodInfo } from "../cache/pod-info.ts";
import { type Rejector, rejectorOf } from "./cluster-change.ts";
import type { Profile } from "./profile.ts";

/**
 * Extension point PreEnqueue of the profiles: returns what keeps a pod from being scheduled, which is the first plugin of
 * its profile that holds it back.
 */
export function preEnqueueOf(profiles: readonly Profile[]): (pod: PodInfo) => Rejector | undefined {
  const byName = new Map(profiles.map(({ schedulerName, preEnqueues }) => [schedulerName, preEnqueues]));
  return (pod) => {
    for (const plugin of byName.get(pod.pod.spec.schedulerName ?? "") ?? []) {
      try {
        if (plugin.preEnqueue(pod) !== undefined) return rejectorOf(plugin);
      } catch {
        // A plugin that fails must not let a pod pass, and must not end the handling of events.
        return rejectorOf(plugin);
      }
    }
    return undefined;
  };
}
