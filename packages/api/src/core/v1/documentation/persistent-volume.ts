import type { TypeDocumentation } from "@orchernetes/apimachinery";
import { persistentVolumeSources } from "./persistent-volume-sources.ts";
import { listMetadata, objectMetadata } from "./phrases.ts";

/** Texts of the types in `types/persistent-volume.ts`. */
export const documentation: TypeDocumentation = {
  PersistentVolume: {
    "": "A piece of storage in the cluster that outlives pods. It belongs to no namespace; a claim binds it to one.",
    metadata: objectMetadata,
    spec: "What the volume is and who may have it. Made by an administrator or a provisioner.",
    status: "Phase of the volume's life cycle. Read-only for users.",
  },
  PersistentVolumeSpec: {
    "": "What a persistent volume is and who may have it. Exactly one source is set, and it cannot be changed.",
    capacity: "Size of the volume, under the key storage. Required.",
    ...persistentVolumeSources,
    accessModes:
      "In which ways the volume can be mounted: ReadWriteOnce (by one node), ReadOnlyMany (by many, reading only), ReadWriteMany (by many) or ReadWriteOncePod (by one pod). At least one is required; ReadWriteOncePod stands alone.",
    claimRef:
      "The claim that the volume is bound to, or reserved for. Filled in on binding, or beforehand by an administrator to choose the claim. If it has a UID, only the claim with that UID can be bound, not another of the same name.",
    persistentVolumeReclaimPolicy:
      "What happens to the volume when its claim is deleted: Retain (it is kept for an administrator), Delete (it is deleted together with the storage behind it) or Recycle (it is wiped and offered again; deprecated). Default Retain; provisioned volumes get that of their storage class.",
    storageClassName: "Storage class of the volume. Claims of another class are not bound to it. Empty means no class.",
    mountOptions: "Options for mounting, such as ro or soft. They are not validated: if one is wrong, the mount fails.",
    volumeMode:
      "How pods get the volume: Filesystem (as a directory) or Block (as a raw device). Default Filesystem. Immutable.",
    nodeAffinity:
      "From which nodes the volume can be reached. Pods that use it are only placed there. Required for local volumes. Immutable once set.",
  },
  VolumeNodeAffinity: {
    "": "From which nodes a volume can be reached.",
    required: "The nodes, any one of which is suitable.",
  },
  PersistentVolumeStatus: {
    "": "Phase of a persistent volume's life cycle.",
    phase:
      "Pending (not available yet), Available (free), Bound (a claim has it), Released (the claim is gone, and the volume waits to be reclaimed) or Failed (reclaiming it failed).",
    message: "A human-readable reason why the volume is in this phase.",
    reason: "Why the volume failed, as a word in CamelCase.",
  },
  PersistentVolumeList: {
    "": "A list of persistent volumes.",
    metadata: listMetadata,
    items: "The persistent volumes.",
  },
};
