import type { FeatureName } from "@orchernetes/component";

/** The feature gates that have an effect in orch-proxy. */
export const switchedGates: readonly FeatureName[] = [];
