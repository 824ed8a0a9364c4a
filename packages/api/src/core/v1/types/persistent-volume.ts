import {
  embed,
  enumeration,
  type Infer,
  ListMeta,
  list,
  mapOf,
  message,
  ObjectMeta,
  object,
  optional,
  pointer,
  quantity,
  required,
  string,
  value,
} from "@orchernetes/apimachinery";
import { NodeSelector } from "./affinity.ts";
import { PersistentVolumeSource } from "./persistent-volume-sources.ts";
import { ObjectReference } from "./references.ts";

const pkg = "core/v1";

/**
 * A volume of the cluster that outlives pods. A claim binds it. The source is immutable; `persistentVolumeReclaimPolicy`
 * defaults to Retain and `volumeMode` to Filesystem.
 */
export const PersistentVolume = object(pkg, "PersistentVolume", () => ({
  metadata: value(1, ObjectMeta),
  spec: value(2, PersistentVolumeSpec),
  status: value(3, PersistentVolumeStatus),
}));
export interface PersistentVolume extends Infer<typeof PersistentVolume> {}

/** What a persistent volume is and who may have it. Exactly one source is set, and it cannot be changed. */
export const PersistentVolumeSpec = message(pkg, "PersistentVolumeSpec", () => ({
  capacity: optional(1, mapOf(quantity)),
  ...embed(2, "persistentVolumeSource", PersistentVolumeSource),
  accessModes: optional(3, list(enumeration("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"))),
  claimRef: pointer(4, ObjectReference, { atomic: false }),
  persistentVolumeReclaimPolicy: optional(5, enumeration("Recycle", "Delete", "Retain")),
  storageClassName: optional(6, string),
  mountOptions: optional(7, list(string)),
  volumeMode: pointer(8, enumeration("Block", "Filesystem")),
  nodeAffinity: pointer(9, VolumeNodeAffinity),
}));
export interface PersistentVolumeSpec extends Infer<typeof PersistentVolumeSpec> {}

/** From which nodes a volume can be reached. */
export const VolumeNodeAffinity = message(pkg, "VolumeNodeAffinity", () => ({
  required: pointer(1, NodeSelector),
}));
export interface VolumeNodeAffinity extends Infer<typeof VolumeNodeAffinity> {}

/** Phase of a persistent volume's life cycle. */
export const PersistentVolumeStatus = message(pkg, "PersistentVolumeStatus", () => ({
  phase: optional(1, enumeration("Pending", "Available", "Bound", "Released", "Failed")),
  message: optional(2, string),
  reason: optional(3, string),
}));
export interface PersistentVolumeStatus extends Infer<typeof PersistentVolumeStatus> {}

export const PersistentVolumeList = object(pkg, "PersistentVolumeList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(PersistentVolume)),
}));
export interface PersistentVolumeList extends Infer<typeof PersistentVolumeList> {}
