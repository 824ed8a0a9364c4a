import type { core } from "@orchernetes/api";

/** A claim that a pod uses. */
export interface ClaimOfPod {
  /** In the pod's namespace. */
  readonly name: string;
  /** Whether it is made for a generic ephemeral volume of the pod (KEP-1698), and must belong to it. */
  readonly ephemeral: boolean;
}

const none: readonly ClaimOfPod[] = [];

/** The claims of a pod's volumes. The claim of an ephemeral volume is named after pod and volume. */
export function claimsOfPod({ metadata, spec }: core.Pod): readonly ClaimOfPod[] {
  if (spec.volumes === undefined) return none;
  return spec.volumes.flatMap(({ name, persistentVolumeClaim, ephemeral }): readonly ClaimOfPod[] => {
    if (persistentVolumeClaim !== undefined) return [{ name: persistentVolumeClaim.claimName, ephemeral: false }];
    return ephemeral === undefined ? [] : [{ name: `${metadata.name}-${name}`, ephemeral: true }];
  });
}
