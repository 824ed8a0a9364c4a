import type { FeatureName } from "@orchernetes/component";

/** The feature gates that switch something in orch-scheduler. */
export const switchedGates: readonly FeatureName[] = [];
