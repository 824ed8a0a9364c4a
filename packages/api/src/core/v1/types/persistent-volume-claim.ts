import {
  enumeration,
  type Infer,
  LabelSelector,
  ListMeta,
  list,
  mapOf,
  message,
  ObjectMeta,
  object,
  openEnumeration,
  optional,
  pointer,
  quantity,
  required,
  string,
  time,
  value,
} from "@orchernetes/apimachinery";
import { ResourceRequirements } from "./container.ts";
import { TypedLocalObjectReference } from "./references.ts";

const pkg = "core/v1";

/**
 * A request for a volume, which is bound to a {@link PersistentVolume}. Pods refer to the claim.
 *
 * After creation only the requested size can grow. `dataSourceRef`: KEP-1495, in another namespace: KEP-3294; ReadWriteOncePod:
 * KEP-2485.
 */
export const PersistentVolumeClaim = object(pkg, "PersistentVolumeClaim", () => ({
  metadata: value(1, ObjectMeta),
  spec: value(2, PersistentVolumeClaimSpec),
  status: value(3, PersistentVolumeClaimStatus),
}));
export interface PersistentVolumeClaim extends Infer<typeof PersistentVolumeClaim> {}

export const PersistentVolumeClaimList = object(pkg, "PersistentVolumeClaimList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(PersistentVolumeClaim)),
}));
export interface PersistentVolumeClaimList extends Infer<typeof PersistentVolumeClaimList> {}

/** The desired volume. After creation only the requested size can grow, and `volumeName` can be set once. */
export const PersistentVolumeClaimSpec = message(pkg, "PersistentVolumeClaimSpec", () => ({
  accessModes: optional(1, list(enumeration("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"))),
  selector: pointer(4, LabelSelector),
  resources: value(2, ResourceRequirements),
  volumeName: optional(3, string),
  storageClassName: pointer(5, string),
  volumeMode: pointer(6, enumeration("Block", "Filesystem")),
  dataSource: pointer(7, TypedLocalObjectReference),
  dataSourceRef: pointer(8, TypedObjectReference, { gate: "AnyVolumeDataSource" }),
}));
export interface PersistentVolumeClaimSpec extends Infer<typeof PersistentVolumeClaimSpec> {}

/** Names an object of any kind, possibly in another namespace. */
export const TypedObjectReference = message(pkg, "TypedObjectReference", () => ({
  apiGroup: pointer(1, string),
  kind: required(2, string),
  name: required(3, string),
  namespace: pointer(4, string, { gate: "CrossNamespaceVolumeDataSource" }),
}));
export interface TypedObjectReference extends Infer<typeof TypedObjectReference> {}

/** A condition of a claim. */
export const PersistentVolumeClaimCondition = message(pkg, "PersistentVolumeClaimCondition", () => ({
  type: required(1, string),
  status: required(2, openEnumeration("True", "False", "Unknown")),
  lastProbeTime: optional(3, time),
  lastTransitionTime: optional(4, time),
  reason: optional(5, string),
  message: optional(6, string),
}));
export interface PersistentVolumeClaimCondition extends Infer<typeof PersistentVolumeClaimCondition> {}

/** The storage that a claim is bound to. */
export const PersistentVolumeClaimStatus = message(pkg, "PersistentVolumeClaimStatus", () => ({
  phase: optional(1, enumeration("Pending", "Bound", "Lost")),
  accessModes: optional(2, list(enumeration("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"))),
  capacity: optional(3, mapOf(quantity)),
  conditions: optional(4, list(PersistentVolumeClaimCondition), {
    patch: "merge",
    mergeKey: "type",
    list: "map",
    keys: ["type"],
  }),
  allocatedResources: optional(5, mapOf(quantity), { gate: "RecoverVolumeExpansionFailure" }),
  resizeStatus: pointer(
    6,
    enumeration(
      "",
      "ControllerExpansionInProgress",
      "ControllerExpansionFailed",
      "NodeExpansionPending",
      "NodeExpansionInProgress",
      "NodeExpansionFailed",
    ),
    { gate: "RecoverVolumeExpansionFailure" },
  ),
}));
export interface PersistentVolumeClaimStatus extends Infer<typeof PersistentVolumeClaimStatus> {}

/** What a claim that is made for a pod looks like. */
export const PersistentVolumeClaimTemplate = message(pkg, "PersistentVolumeClaimTemplate", () => ({
  metadata: value(1, ObjectMeta),
  spec: required(2, PersistentVolumeClaimSpec),
}));
export interface PersistentVolumeClaimTemplate extends Infer<typeof PersistentVolumeClaimTemplate> {}
