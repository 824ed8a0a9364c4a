import type { core } from "@orchernetes/api";
import { isControlledBy, type Stored } from "@orchernetes/apimachinery";
import {
  bindCompleted,
  type Claim,
  type ClaimOfPod,
  claimsOfPod,
  classNameOf,
  hasAnnotation,
} from "@orchernetes/component-helpers";
import type { PodRejection } from "../framework/interfaces.ts";
import type { Volumes } from "./volumes.ts";

/** The claims of a pod by what has to happen to them. */
export interface PodClaims {
  readonly bound: readonly Claim[];
  /** They are bound when the pod is scheduled. */
  readonly delayed: readonly Claim[];
}

/** Whether the binding of a claim is complete on both sides. */
export const isFullyBound = (claim: Claim): boolean =>
  Boolean(claim.spec.volumeName) && hasAnnotation(claim, bindCompleted);

/**
 * Looks up the claims of a pod; undefined if it has none. A pod with claims that do not exist, or that are bound without
 * regard to their consumers but are not bound yet, is rejected.
 */
export function sortClaims(pod: Stored<core.Pod>, volumes: Volumes): PodClaims | PodRejection | undefined {
  const names = claimsOfPod(pod);
  if (names.length === 0) return undefined;
  const found: Claim[] = [];
  for (const of of names) {
    const claim = volumes.claim(pod.metadata.namespace ?? "", of.name);
    const why = refusalOf(pod, of, claim);
    if (why !== undefined) return { rejected: why };
    if (claim !== undefined) found.push(claim);
  }
  const unbound = found.filter((claim) => !isFullyBound(claim));
  const isDelayed = (claim: Claim): boolean =>
    !claim.spec.volumeName && volumes.storageClass(classNameOf(claim))?.volumeBindingMode === "WaitForFirstConsumer";
  if (!unbound.every(isDelayed)) return { rejected: "pod has unbound immediate PersistentVolumeClaims" };
  return { bound: found.filter(isFullyBound), delayed: unbound };
}

/** Why a pod cannot use a claim on any node. The messages are the original's. */
function refusalOf(
  pod: Stored<core.Pod>,
  { name, ephemeral }: ClaimOfPod,
  claim: Claim | undefined,
): string | undefined {
  if (claim === undefined)
    return ephemeral
      ? `waiting for ephemeral volume controller to create the persistentvolumeclaim "${name}"`
      : `persistentvolumeclaim "${name}" not found`;
  if (claim.status?.phase === "Lost")
    return `persistentvolumeclaim "${name}" bound to non-existent persistentvolume "${claim.spec.volumeName ?? ""}"`;
  if (claim.metadata.deletionTimestamp !== undefined) return `persistentvolumeclaim "${name}" is being deleted`;
  // Another user may have created a claim with this name.
  if (ephemeral && !isControlledBy(claim, pod)) {
    const { namespace } = claim.metadata;
    return `PVC ${namespace}/${name} was not created for pod ${namespace}/${pod.metadata.name} (pod is not owner)`;
  }
  return undefined;
}
