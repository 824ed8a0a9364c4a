import type { FeatureName } from "@orchernetes/component";

/** The feature gates that have an effect in orch-scheduler. */
export const switchedGates: readonly FeatureName[] = [
  "MatchLabelKeysInPodTopologySpread",
  "MinDomainsInPodTopologySpread",
  "NodeInclusionPolicyInPodTopologySpread",
  "PodDisruptionConditions",
  "PodSchedulingReadiness",
  "ReadWriteOncePod",
  "VolumeCapacityPriority",
];
