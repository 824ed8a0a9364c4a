import type { FeatureName } from "@orchernetes/component";

/** The feature gates that have an effect in orch-controller-manager. */
export const switchedGates: readonly FeatureName[] = ["HPAContainerMetrics", "RetroactiveDefaultStorageClass"];
