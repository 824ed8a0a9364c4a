import type { core, storage } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";

export type Claim = Stored<core.PersistentVolumeClaim>;
export type Volume = Stored<core.PersistentVolume>;
export type StorageClass = Stored<storage.StorageClass>;

/** On a claim: the binding was completed; should the volume be gone, the claim is lost. */
export const bindCompleted = "pv.orchernetes.io/bind-completed";
/** On a claim or volume: the controller made the tie, and may undo it. */
export const boundByController = "pv.orchernetes.io/bound-by-controller";
/** On a volume: name of the provisioner that made it. */
export const provisionedBy = "pv.orchernetes.io/provisioned-by";
/** On a claim: the provisioner that is to make its volume. */
export const storageProvisioner = "volume.orchernetes.io/storage-provisioner";
/** The older name of {@link storageProvisioner}, for provisioners of that time. */
export const betaStorageProvisioner = "volume.beta.orchernetes.io/storage-provisioner";
/** On a claim: the scheduler has chosen this node for its first consumer, a volume may be made. */
export const selectedNode = "volume.orchernetes.io/selected-node";
/** Named the class before the field was there, and still wins over it. */
const betaStorageClass = "volume.beta.orchernetes.io/storage-class";

type Annotated = Pick<Claim | Volume, "metadata">;

export function hasAnnotation({ metadata }: Annotated, name: string): boolean {
  return metadata.annotations !== undefined && Object.hasOwn(metadata.annotations, name);
}

export function annotationOf(object: Annotated, name: string): string | undefined {
  return hasAnnotation(object, name) ? object.metadata.annotations?.[name] : undefined;
}

/** The object with annotations put to it. */
export function annotated<T extends Annotated>(object: T, annotations: Readonly<Record<string, string>>): T {
  const { metadata } = object;
  return { ...object, metadata: { ...metadata, annotations: { ...metadata.annotations, ...annotations } } };
}

/** Name of the class, "" for none. */
export function classNameOf(object: Claim | Volume): string {
  return annotationOf(object, betaStorageClass) ?? object.spec.storageClassName ?? "";
}

/** Whether the claim says anything about a class; that it wants none counts. */
export function namesClass(claim: Claim): boolean {
  return hasAnnotation(claim, betaStorageClass) || claim.spec.storageClassName !== undefined;
}

/** Size of the volume or size asked for, as a quantity. */
export const capacityOf = (volume: Volume): string => volume.spec.capacity?.storage ?? "0";
export const requestOf = (claim: Claim): string => claim.spec.resources?.requests?.storage ?? "0";

export const volumeModesMatch = (volume: Volume, claim: Claim): boolean =>
  (volume.spec.volumeMode ?? "Filesystem") === (claim.spec.volumeMode ?? "Filesystem");

/** Whether the volume can be used in every way that the claim asks for. */
export const offersAccessModes = (volume: Volume, claim: Claim): boolean =>
  (claim.spec.accessModes ?? []).every((mode) => volume.spec.accessModes?.includes(mode));

/** Whether the volume is reserved for the claim: by name, and by uid unless that is still open. */
export function isBoundTo({ spec: { claimRef } }: Volume, { metadata }: Claim): boolean {
  if (claimRef === undefined) return false;
  if (claimRef.name !== metadata.name || claimRef.namespace !== metadata.namespace) return false;
  return !claimRef.uid || claimRef.uid === metadata.uid;
}

/** Key of the claim that a volume refers to, by which the cache knows it. */
export function claimKeyOf({ spec: { claimRef } }: Volume): string | undefined {
  return claimRef === undefined ? undefined : `${claimRef.namespace ?? ""}/${claimRef.name ?? ""}`;
}
