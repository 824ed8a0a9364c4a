import { type Draft, defineResource } from "@orchernetes/apimachinery";
import { age, column, name } from "../../shared/columns.ts";
import { allVerbs, subresourceVerbs } from "../../shared/definitions.ts";
import { share } from "../../shared/drafts.ts";
import { formatAccessModes } from "./access-modes.ts";
import { defaultSources } from "./defaults/volumes.ts";
import { persistentVolumeWarnings } from "./persistent-volume-warnings.ts";
import { classAnnotation } from "./rules/class-annotation.ts";
import { PersistentVolume } from "./types/persistent-volume.ts";
import { validatePersistentVolume, validatePersistentVolumeUpdate } from "./validation/persistent-volume.ts";

/**
 * Sets the defaults of a persistent volume. Volumes that an administrator creates are retained, so that data is never
 * deleted by accident; a provisioner sets the policy of its storage class.
 */
function applyDefaults(volume: Draft<PersistentVolume>): void {
  const { spec } = volume;
  volume.status ??= {};
  volume.status.phase ||= "Pending";
  spec.persistentVolumeReclaimPolicy ||= "Retain";
  spec.volumeMode ??= "Filesystem";
  defaultSources(spec);
}

/** `v1` persistent volumes. */
export const persistentVolumes = defineResource<PersistentVolume>({
  group: "",
  version: "v1",
  kind: "PersistentVolume",
  plural: "persistentvolumes",
  singular: "persistentvolume",
  shortNames: ["pv"],
  scope: "Cluster",
  verbs: allVerbs,
  schema: PersistentVolume,
  storagePrefix: "/registry/persistentvolumes",
  applyDefaults,
  strategy: {
    prepareForCreate: (volume) => {
      volume.status = { phase: "Pending" };
    },
    validate: validatePersistentVolume,
    prepareForUpdate: (volume, old) => {
      volume.status = share(old.status);
    },
    validateUpdate: validatePersistentVolumeUpdate,
    warnings: persistentVolumeWarnings,
    returnDeletedObject: true,
  },
  columns: [
    name(),
    column("Capacity", "string", "Size.", ({ spec }) => spec.capacity?.storage ?? ""),
    column("Access Modes", "string", "Ways in which it can be mounted.", ({ spec }) =>
      formatAccessModes(spec.accessModes),
    ),
    column("Reclaim Policy", "string", "What happens to it when its claim is deleted.", ({ spec }) => {
      return spec.persistentVolumeReclaimPolicy ?? "";
    }),
    column("Status", "string", "Phase, or Terminating.", ({ metadata, status }) =>
      metadata.deletionTimestamp ? "Terminating" : (status.phase ?? ""),
    ),
    column("Claim", "string", "The claim that it is bound to.", ({ spec: { claimRef } }) =>
      claimRef === undefined ? "" : `${claimRef.namespace ?? ""}/${claimRef.name ?? ""}`,
    ),
    column("StorageClass", "string", "Storage class that provisioned it.", ({ metadata, spec }) => {
      return metadata.annotations?.[classAnnotation] ?? spec.storageClassName ?? "";
    }),
    column("Reason", "string", "Why it failed.", ({ status }) => status.reason ?? ""),
    age(),
    column("VolumeMode", "string", "Block device or file system.", ({ spec }) => spec.volumeMode ?? "<unset>", 1),
  ],
  fieldSelectors: ["name"],
  selectableFields: ({ metadata }) => ({ name: metadata.name ?? "" }),
  subresources: {
    status: {
      type: "status",
      verbs: subresourceVerbs,
      strategy: {
        prepareForUpdate: (volume, old) => {
          volume.spec = share(old.spec);
        },
      },
    },
  },
});
