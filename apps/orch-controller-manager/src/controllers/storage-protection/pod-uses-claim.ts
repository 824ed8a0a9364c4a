import type { core } from "@orchernetes/api";
import { isControlledBy, type Stored } from "@orchernetes/apimachinery";

type Pod = Stored<core.Pod>;
type Claim = Stored<core.PersistentVolumeClaim>;

/**
 * Whether the pod prevents the deletion of a claim. A pod without a node does not: no orchlet starts a pod whose claim
 * is being deleted. A terminated pod does: its volume may still be mounted.
 */
export function podUsesClaim(pod: Pod, claim: Claim): boolean {
  if (!pod.spec.nodeName || pod.metadata.namespace !== claim.metadata.namespace) return false;
  const { name } = claim.metadata;
  return (pod.spec.volumes ?? []).some(({ name: volume, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim !== undefined) return persistentVolumeClaim.claimName === name;
    if (ephemeral === undefined || name !== `${pod.metadata.name}-${volume}`) return false;
    return isControlledBy(claim, pod) && !isShutDown(pod);
  });
}

/** Whether the orchlet has finished with the pod, or the pod was deleted without a grace period. */
const isShutDown = ({ metadata }: Pod): boolean =>
  metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0;
