import type { FeatureName } from "@orchernetes/component";

/** The feature gates that switch something in orch-controller-manager. */
export const switchedGates: readonly FeatureName[] = ["HPAContainerMetrics", "RetroactiveDefaultStorageClass"];
