import type { core } from "@orchernetes/api";
import { keyOf } from "@orchernetes/apimachinery";
import type { PodInfo } from "../../cache/pod-info.ts";
import type { QueueingHint } from "../../framework/cluster-change.ts";

const isOwn = ({ claims }: PodInfo, claim: core.PersistentVolumeClaim): boolean => claims.includes(keyOf(claim));

/** Whether a volume may be used by the pod: it is bound to one of its claims, or to none. */
function isWithinReach({ claims }: PodInfo, { spec }: core.PersistentVolume): boolean {
  const { claimRef } = spec;
  return claimRef === undefined || claims.includes(`${claimRef.namespace}/${claimRef.name}`);
}

/** Hint of VolumeBinding and VolumeZone: changes of the pod's own claims, and of volumes that no other claim has. */
export const volumesHint: QueueingHint = (pod, change) => {
  switch (change.resource) {
    case "PersistentVolumeClaim":
      return change.now !== undefined && !isOwn(pod, change.now) ? "skip" : "queue";
    case "PersistentVolume":
      return change.now !== undefined && !isWithinReach(pod, change.now) ? "skip" : "queue";
    default:
      return "queue";
  }
};

/** The keys of the claims that the volumes of a pod name. */
const claimsNamedBy = ({ metadata, spec }: core.Pod): readonly string[] =>
  (spec.volumes ?? []).flatMap(({ persistentVolumeClaim }) =>
    persistentVolumeClaim === undefined ? [] : [`${metadata.namespace}/${persistentVolumeClaim.claimName}`],
  );

/**
 * Hint of VolumeRestrictions: changes of the pod's own claims, new nodes, and pods that left and used one of its claims, or a
 * disk.
 *
 * @param isDisk whether a volume is a disk that one pod of a node can use
 */
export const restrictionsHint =
  (isDisk: (volume: core.Volume) => boolean): QueueingHint =>
  (pod, change) => {
    if (change.resource === "PersistentVolumeClaim") return volumesHint(pod, change);
    if (change.resource !== "Pod") return "queue";
    const { old, now } = change;
    if (old === undefined || now !== undefined) return "skip";
    const shared = claimsNamedBy(old).some((claim) => pod.claims.includes(claim));
    return shared || old.spec.volumes?.some(isDisk) ? "queue" : "skip";
  };

/** Hint of limits of volumes: changes of the pod's own claims and of nodes, and pods that left and had volumes. */
export const limitsHint: QueueingHint = (pod, change) => {
  if (change.resource === "PersistentVolumeClaim") return volumesHint(pod, change);
  if (change.resource !== "Pod") return "queue";
  const { old, now } = change;
  return old !== undefined && now === undefined && (old.spec.volumes?.length ?? 0) > 0 ? "queue" : "skip";
};
