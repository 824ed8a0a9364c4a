import type { StrategyContext } from "@orchernetes/apimachinery";
import type { PodSpec } from "../types/pod.ts";

/** What validation may know in addition to the object: cluster settings, and the previous pod spec for ratcheting. */
export interface ValidationContext extends Pick<StrategyContext, "allowPrivileged" | "featureEnabled"> {
  /**
   * On updates, the spec of the pod or pod template as it was: what a rule that came later or a feature that is off would
   * reject stays valid where the object uses it already.
   */
  readonly oldPodSpec?: PodSpec | undefined;
}

/** The context of an update of what holds this pod spec. */
export function updating(ctx: ValidationContext, oldPodSpec: PodSpec | undefined): ValidationContext {
  const { allowPrivileged, featureEnabled } = ctx;
  return { allowPrivileged, featureEnabled, oldPodSpec };
}
