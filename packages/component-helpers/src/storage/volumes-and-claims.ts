import type { core, storage } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";

/** A PersistentVolumeClaim as the API server returns it. */
export type Claim = Stored<core.PersistentVolumeClaim>;
/** A PersistentVolume as the API server returns it. */
export type Volume = Stored<core.PersistentVolume>;
/** A StorageClass as the API server returns it. */
export type StorageClass = Stored<storage.StorageClass>;

/** On a claim: the binding was completed. If the volume is deleted afterwards, the claim is lost. */
export const bindCompleted = "pv.orchernetes.io/bind-completed";
/** On a claim or volume: the controller set the binding, and may undo it. */
export const boundByController = "pv.orchernetes.io/bound-by-controller";
/** On a volume: name of the provisioner that created it. */
export const provisionedBy = "pv.orchernetes.io/provisioned-by";
/** On a claim: name of the provisioner that should create its volume. */
export const storageProvisioner = "volume.orchernetes.io/storage-provisioner";
/** The older name of {@link storageProvisioner}, for older provisioners. */
export const betaStorageProvisioner = "volume.beta.orchernetes.io/storage-provisioner";
/** On a claim: the node that the scheduler has chosen for its first consumer. A volume may now be created. */
export const selectedNode = "volume.orchernetes.io/selected-node";
/** On a claim or volume: the CSI driver that took over the work of its in-tree provisioner (KEP-625). */
export const migratedTo = "pv.orchernetes.io/migrated-to";
/** Finalizer of a volume that was provisioned here: its storage is deleted before the object (KEP-2644). */
export const pvControllerFinalizer = "orchernetes.io/pv-controller";
/** Named the class before the field existed, and still takes precedence over it. */
export const betaStorageClass = "volume.beta.orchernetes.io/storage-class";

type Annotated = Pick<Claim | Volume, "metadata">;

/** Whether the object has an annotation. */
export function hasAnnotation({ metadata }: Annotated, name: string): boolean {
  return metadata.annotations !== undefined && Object.hasOwn(metadata.annotations, name);
}

/** The value of an annotation; undefined if the object does not have it. */
export function annotationOf(object: Annotated, name: string): string | undefined {
  return hasAnnotation(object, name) ? object.metadata.annotations?.[name] : undefined;
}

/** A copy of the object with additional annotations. */
export function annotated<T extends Annotated>(object: T, annotations: Readonly<Record<string, string>>): T {
  const { metadata } = object;
  return { ...object, metadata: { ...metadata, annotations: { ...metadata.annotations, ...annotations } } };
}

/** Name of the storage class; "" for none. */
export function classNameOf(object: Claim | Volume): string {
  return annotationOf(object, betaStorageClass) ?? object.spec.storageClassName ?? "";
}

/** Whether the claim specifies a class; "", which requests no class, counts, too. */
export function namesClass(claim: Claim): boolean {
  return hasAnnotation(claim, betaStorageClass) || claim.spec.storageClassName !== undefined;
}

/** The size of a volume, as a quantity. */
export const capacityOf = (volume: Volume): string => volume.spec.capacity?.storage ?? "0";
/** The requested size of a claim, as a quantity. */
export const requestOf = (claim: Claim): string => claim.spec.resources?.requests?.storage ?? "0";

/** Whether volume and claim have the same mode (Filesystem or Block). */
export const volumeModesMatch = (volume: Volume, claim: Claim): boolean =>
  (volume.spec.volumeMode ?? "Filesystem") === (claim.spec.volumeMode ?? "Filesystem");

/** Whether the volume supports all access modes that the claim requests. */
export const offersAccessModes = (volume: Volume, claim: Claim): boolean =>
  (claim.spec.accessModes ?? []).every((mode) => volume.spec.accessModes?.includes(mode));

/** Whether the volume is reserved for the claim, by name and, if it is set, by uid. */
export function isBoundTo({ spec: { claimRef } }: Volume, { metadata }: Claim): boolean {
  if (claimRef === undefined) return false;
  if (claimRef.name !== metadata.name || claimRef.namespace !== metadata.namespace) return false;
  return !claimRef.uid || claimRef.uid === metadata.uid;
}

/** Key of the claim that a volume refers to. */
export function claimKeyOf({ spec: { claimRef } }: Volume): string | undefined {
  return claimRef === undefined ? undefined : `${claimRef.namespace ?? ""}/${claimRef.name ?? ""}`;
}
