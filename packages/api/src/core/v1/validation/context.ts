import type { StrategyContext } from "@orchernetes/apimachinery";
import type { PodSpec } from "../types/pod.ts";

/** What validation may know besides the object: settings of the cluster, and the previous pod spec for ratcheting. */
export interface ValidationContext extends Pick<StrategyContext, "allowPrivileged" | "featureEnabled"> {
  /**
   * On updates, the stored spec of the pod or pod template. What a later rule or a disabled feature would reject stays
   * valid where the object has it already ("ratcheting"): otherwise such an object could not be updated at all, not
   * even to remove a finalizer.
   */
  readonly oldPodSpec?: PodSpec | undefined;
}

/** The context of an update of an object with this stored pod spec. */
export function updating(ctx: ValidationContext, oldPodSpec: PodSpec | undefined): ValidationContext {
  const { allowPrivileged, featureEnabled } = ctx;
  return { allowPrivileged, featureEnabled, oldPodSpec };
}
