import {
  annotated,
  annotationOf,
  betaStorageProvisioner,
  type Claim,
  driverOfPlugin,
  migratedTo,
  provisionedBy,
  storageProvisioner,
  type Volume,
} from "@orchernetes/component-helpers";

/**
 * A claim or volume with the annotation that names the CSI driver which took over the work of its in-tree provisioner, or
 * without it if none did: drivers act only on what is annotated with their name. The same object if it is right already.
 */
function withMigration<T extends Claim | Volume>(object: T, provisioner: string | undefined): T {
  const present = annotationOf(object, migratedTo);
  const driver = provisioner === undefined ? undefined : driverOfPlugin(provisioner);
  if (driver === present) return object;
  if (driver !== undefined) return annotated(object, { [migratedTo]: driver });
  // An object without a provisioner is not ours to judge.
  if (provisioner === undefined) return object;
  const { [migratedTo]: _, ...annotations } = object.metadata.annotations ?? {};
  return { ...object, metadata: { ...object.metadata, annotations } };
}

/** The claim with its annotation, by the provisioner that it was given. */
export const migratedClaim = (claim: Claim): Claim =>
  withMigration(claim, annotationOf(claim, storageProvisioner) ?? annotationOf(claim, betaStorageProvisioner));

/** The volume with its annotation, by the provisioner that created it. */
export const migratedVolume = (volume: Volume): Volume => withMigration(volume, annotationOf(volume, provisionedBy));
