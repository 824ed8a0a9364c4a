import type { core } from "@orchernetes/api";
import type { OwnerReference, Stored } from "@orchernetes/apimachinery";
import { claimsOf, ordinalOf, type Pod, podNameLabel, type StatefulSet } from "./identity.ts";

/** A PersistentVolumeClaim as the API server returns it. */
export type Claim = Stored<core.PersistentVolumeClaim>;

/** The pod with the label and the volumes for its ordinal; undefined if it has them. */
export function repairedPod(set: StatefulSet, pod: Pod): Pod | undefined {
  const { name } = pod.metadata;
  const wanted = (set.spec.volumeClaimTemplates ?? []).map(({ metadata }) => ({
    name: metadata.name ?? "",
    persistentVolumeClaim: { claimName: `${metadata.name}-${name}` },
  }));
  const have = pod.spec.volumes ?? [];
  const stored = wanted.every(({ name: volumeName, persistentVolumeClaim: { claimName } }) =>
    have.some((volume) => volume.name === volumeName && volume.persistentVolumeClaim?.claimName === claimName),
  );
  const named = pod.metadata.labels?.[podNameLabel] === name;
  if (stored && named) return undefined;
  const replaced = new Set(wanted.map((volume) => volume.name));
  return {
    ...pod,
    metadata: { ...pod.metadata, labels: { ...pod.metadata.labels, [podNameLabel]: name } },
    spec: stored
      ? pod.spec
      : { ...pod.spec, volumes: [...wanted, ...have.filter((volume) => !replaced.has(volume.name))] },
  };
}

/**
 * The owners of a pod's claim according to the retention policy: the set if whenDeleted is Delete, the pod instead if
 * it is being scaled down and whenScaled is Delete. Undefined if the claim has them.
 */
export function claimOwners(set: StatefulSet, pod: Pod, claim: Claim): readonly OwnerReference[] | undefined {
  const { whenDeleted = "Retain", whenScaled = "Retain" } = set.spec.persistentVolumeClaimRetentionPolicy ?? {};
  const scaledDown = !isInRange(set, pod);
  const podOwns = whenScaled === "Delete" && scaledDown;
  const setOwns = whenDeleted === "Delete" && !podOwns;
  const have = claim.metadata.ownerReferences ?? [];
  const hasSet = have.some(({ uid }) => uid === set.metadata.uid);
  const hasPod = have.some(({ uid }) => uid === pod.metadata.uid);
  if (hasSet === setOwns && hasPod === podOwns) return undefined;
  const others = have.filter(({ uid }) => uid !== set.metadata.uid && uid !== pod.metadata.uid);
  if (podOwns) others.push({ apiVersion: "v1", kind: "Pod", name: pod.metadata.name, uid: pod.metadata.uid });
  if (setOwns) {
    const { name, uid } = set.metadata;
    others.push({ apiVersion: "apps/v1", kind: "StatefulSet", name, uid });
  }
  return others;
}

/** Looks up a claim of the set's namespace. */
export type ClaimLookup = (name: string) => Claim | undefined;

/** Whether one of the pod's claims is missing. */
export function lacksClaims(set: StatefulSet, pod: Pod, claim: ClaimLookup): boolean {
  return claimsOf(set, pod.metadata.name).some(({ metadata }) => claim(metadata.name) === undefined);
}

/** Whether the owners of one of the pod's claims differ from the retention policy. */
export function hasStrayClaims(set: StatefulSet, pod: Pod, claim: ClaimLookup): boolean {
  return claimsOf(set, pod.metadata.name).some(({ metadata }) => {
    const found = claim(metadata.name);
    return found !== undefined && claimOwners(set, pod, found) !== undefined;
  });
}

function isInRange(set: StatefulSet, pod: Pod): boolean {
  const start = set.spec.ordinals?.start ?? 0;
  const ordinal = ordinalOf(set, pod);
  return ordinal !== undefined && ordinal >= start && ordinal < start + (set.spec.replicas ?? 1);
}
