import type { core } from "@orchernetes/api";
import { bindCompleted, type Claim } from "@orchernetes/component-helpers";
import { claim, type PodBuilder, pod } from "@orchernetes/testkit";

export { fixedVolumes as volumesOf, type VolumeObjects } from "../volumes/fixed-volumes.ts";

/** A claim whose binding is complete. */
export const boundClaim = (name: string, volumeName: string, sketch: Parameters<typeof claim>[1] = {}): Claim =>
  claim(name, { volumeName, annotations: { [bindCompleted]: "yes" }, status: { phase: "Bound" }, ...sketch });

/** A pod of namespace "ns" that uses claims. */
export const podUsing = (...claims: readonly string[]): PodBuilder =>
  pod("p")
    .namespace("ns")
    .spec({ volumes: claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })) });

/** The affinity of a volume that is accessible from one zone. */
export const inZone = (zone: string): Partial<core.PersistentVolumeSpec> => ({
  nodeAffinity: {
    required: { nodeSelectorTerms: [{ matchExpressions: [{ key: "zone", operator: "In", values: [zone] }] }] },
  },
});
