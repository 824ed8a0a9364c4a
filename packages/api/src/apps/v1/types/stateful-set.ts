import {
  enumeration,
  type Infer,
  int32,
  int64,
  intOrString,
  LabelSelector,
  ListMeta,
  list,
  message,
  ObjectMeta,
  object,
  openEnumeration,
  optional,
  pointer,
  required,
  string,
  time,
  value,
} from "@orchernetes/apimachinery";
import { PersistentVolumeClaim } from "../../../core/v1/types/persistent-volume-claim.ts";
import { PodTemplateSpec } from "../../../core/v1/types/pod-template.ts";

const pkg = "apps/v1";

/**
 * Pods with an identity: each keeps its ordinal, its name, its DNS name and its volumes when it is replaced.
 *
 * Defaults: `replicas` 1, `podManagementPolicy` OrderedReady, `updateStrategy` RollingUpdate. Claim retention: KEP-1847;
 * `ordinals`: KEP-3335; `maxUnavailable`: KEP-961.
 */
export const StatefulSet = object(pkg, "StatefulSet", () => ({
  metadata: value(1, ObjectMeta),
  spec: value(2, StatefulSetSpec),
  status: value(3, StatefulSetStatus),
}));
export interface StatefulSet extends Infer<typeof StatefulSet> {}

/** How the pods of an old template give way to those of a new one. */
export const StatefulSetUpdateStrategy = message(pkg, "StatefulSetUpdateStrategy", () => ({
  type: optional(1, enumeration("RollingUpdate", "OnDelete")),
  rollingUpdate: pointer(2, RollingUpdateStatefulSetStrategy),
}));
export interface StatefulSetUpdateStrategy extends Infer<typeof StatefulSetUpdateStrategy> {}

/** Which pods a rolling update of a StatefulSet replaces, and how many at a time. */
export const RollingUpdateStatefulSetStrategy = message(pkg, "RollingUpdateStatefulSetStrategy", () => ({
  partition: pointer(1, int32),
  maxUnavailable: pointer(2, intOrString, { gate: "MaxUnavailableStatefulSet" }),
}));
export interface RollingUpdateStatefulSetStrategy extends Infer<typeof RollingUpdateStatefulSetStrategy> {}

/** What happens to the claims of pods that are not replaced (KEP-1847). */
export const StatefulSetPersistentVolumeClaimRetentionPolicy = message(
  pkg,
  "StatefulSetPersistentVolumeClaimRetentionPolicy",
  () => ({
    whenDeleted: optional(1, enumeration("Retain", "Delete")),
    whenScaled: optional(2, enumeration("Retain", "Delete")),
  }),
);
export interface StatefulSetPersistentVolumeClaimRetentionPolicy
  extends Infer<typeof StatefulSetPersistentVolumeClaimRetentionPolicy> {}

/** How the pods of a StatefulSet are numbered. */
export const StatefulSetOrdinals = message(pkg, "StatefulSetOrdinals", () => ({
  start: value(1, int32),
}));
export interface StatefulSetOrdinals extends Infer<typeof StatefulSetOrdinals> {}

/**
 * The desired state of a StatefulSet. Besides replicas, template, updateStrategy, persistentVolumeClaimRetentionPolicy,
 * minReadySeconds and ordinals nothing in it can be changed.
 */
export const StatefulSetSpec = message(pkg, "StatefulSetSpec", () => ({
  replicas: pointer(1, int32),
  selector: required(2, LabelSelector, { pointer: true }),
  template: required(3, PodTemplateSpec),
  volumeClaimTemplates: optional(4, list(PersistentVolumeClaim)),
  serviceName: required(5, string),
  podManagementPolicy: optional(6, enumeration("OrderedReady", "Parallel")),
  updateStrategy: value(7, StatefulSetUpdateStrategy),
  revisionHistoryLimit: pointer(8, int32),
  minReadySeconds: optional(9, int32),
  persistentVolumeClaimRetentionPolicy: pointer(10, StatefulSetPersistentVolumeClaimRetentionPolicy, {
    gate: "StatefulSetAutoDeletePVC",
  }),
  ordinals: pointer(11, StatefulSetOrdinals, { gate: "StatefulSetStartOrdinal" }),
}));
export interface StatefulSetSpec extends Infer<typeof StatefulSetSpec> {}

/** What the stateful set controller last saw. */
export const StatefulSetStatus = message(pkg, "StatefulSetStatus", () => ({
  observedGeneration: optional(1, int64),
  replicas: required(2, int32),
  readyReplicas: optional(3, int32),
  currentReplicas: optional(4, int32),
  updatedReplicas: optional(5, int32),
  currentRevision: optional(6, string),
  updateRevision: optional(7, string),
  collisionCount: pointer(9, int32),
  conditions: optional(10, list(StatefulSetCondition), {
    patch: "merge",
    mergeKey: "type",
    list: "map",
    keys: ["type"],
  }),
  availableReplicas: value(11, int32),
}));
export interface StatefulSetStatus extends Infer<typeof StatefulSetStatus> {}

/** A condition of a StatefulSet. */
export const StatefulSetCondition = message(pkg, "StatefulSetCondition", () => ({
  type: required(1, string),
  status: required(2, openEnumeration("True", "False", "Unknown")),
  lastTransitionTime: optional(3, time),
  reason: optional(4, string),
  message: optional(5, string),
}));
export interface StatefulSetCondition extends Infer<typeof StatefulSetCondition> {}

export const StatefulSetList = object(pkg, "StatefulSetList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(StatefulSet)),
}));
export interface StatefulSetList extends Infer<typeof StatefulSetList> {}
