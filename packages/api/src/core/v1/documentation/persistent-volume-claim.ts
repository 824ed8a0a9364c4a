import type { TypeDocumentation } from "@orchernetes/apimachinery";
import {
  conditionMessage,
  conditionReason,
  conditionStatus,
  conditionTransition,
  listMetadata,
  objectMetadata,
} from "./phrases.ts";

/** Texts of the types in `types/persistent-volume-claim.ts`. */
export const documentation: TypeDocumentation = {
  PersistentVolumeClaim: {
    "": "A request for storage, which is fulfilled by binding it to a persistent volume. Pods refer to the claim and get the volume.",
    metadata: objectMetadata,
    spec: "The requested storage.",
    status: "The storage that was provided. Read-only for users.",
  },
  PersistentVolumeClaimList: {
    "": "A list of claims.",
    metadata: listMetadata,
    items: "The requested claims.",
  },
  PersistentVolumeClaimSpec: {
    "": "The requested storage. After creation only the requested size can grow, and volumeName can be set once.",
    accessModes:
      "In which ways the volume must be mountable: ReadWriteOnce (by one node), ReadOnlyMany (by many, reading only), ReadWriteMany (by many) or ReadWriteOncePod (by one pod; stands alone). At least one is required.",
    selector: "Labels that the volume must have. No volume is ever provisioned for a claim with a selector.",
    resources:
      "How much storage is requested, as a request under the key storage. A bound claim's request can grow if its storage class allows expansion.",
    volumeName: "The volume that the claim is bound to, or is to be bound to.",
    storageClassName:
      'Storage class that the volume must have. If absent, the default class, if there is one; "" means volumes without a class.',
    volumeMode: "How pods get the volume: Filesystem (as a directory) or Block (as a raw device). Default Filesystem.",
    dataSource:
      "What the new volume is filled with: another claim or a VolumeSnapshot in the same namespace. Other kinds are dropped silently. Kept equal to dataSourceRef where that is in the same namespace.",
    dataSourceRef:
      "What the new volume is filled with: an object of any kind that a provisioner or a populator supports. Unlike in dataSource, an unknown kind is not dropped. Immutable.",
  },
  TypedObjectReference: {
    "": "Names an object of any kind, possibly in another namespace.",
    apiGroup: "API group of the kind. The core group if absent.",
    kind: "Kind of the object.",
    name: "Name of the object.",
    namespace:
      "Namespace of the object, which must permit the reference with a ReferenceGrant. The same namespace if absent. Needs the feature gate CrossNamespaceVolumeDataSource.",
  },
  PersistentVolumeClaimCondition: {
    "": "One finding about a claim.",
    type: "What was found: Resizing (a larger size is being set up) or FileSystemResizePending (the file system grows once a pod mounts it).",
    status: conditionStatus,
    lastProbeTime: "When the condition was last checked.",
    lastTransitionTime: conditionTransition,
    reason: conditionReason,
    message: conditionMessage,
  },
  PersistentVolumeClaimStatus: {
    "": "The storage that a claim is bound to.",
    phase: "Pending (not bound yet), Bound, or Lost (the volume it was bound to is gone, and so is the data).",
    accessModes: "In which ways the bound volume can be mounted.",
    capacity: "Actual size of the bound volume.",
    conditions: "Findings about the claim, such as that it is being made larger.",
    allocatedResources:
      "Size that an expansion in progress has reserved. Quota counts the larger of this and the request. Needs the feature gate RecoverVolumeExpansionFailure.",
    resizeStatus:
      "State of an expansion: empty if there is none, else ControllerExpansionInProgress, ControllerExpansionFailed, NodeExpansionPending, NodeExpansionInProgress or NodeExpansionFailed. Needs the feature gate RecoverVolumeExpansionFailure.",
  },
  PersistentVolumeClaimTemplate: {
    "": "What a claim that is made for a pod looks like.",
    metadata: "Labels and annotations of the claim. No other metadata is allowed.",
    spec: "The requested storage. Copied to the claim as it is.",
  },
};
