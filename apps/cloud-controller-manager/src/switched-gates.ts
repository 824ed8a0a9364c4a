import type { FeatureName } from "@orchernetes/component";

/** The feature gates that switch something in cloud-controller-manager. */
export const switchedGates: readonly FeatureName[] = [];
