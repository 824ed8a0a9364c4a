import {
  type Infer,
  int32,
  int64,
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
import { PodTemplateSpec } from "../../../core/v1/types/pod-template.ts";

const pkg = "apps/v1";

/**
 * A set of equal pods: missing ones are created, surplus ones deleted. `replicas` defaults to 1; `selector` is immutable.
 */
export const ReplicaSet = object(pkg, "ReplicaSet", () => ({
  metadata: value(1, ObjectMeta),
  spec: value(2, ReplicaSetSpec),
  status: value(3, ReplicaSetStatus),
}));
export interface ReplicaSet extends Infer<typeof ReplicaSet> {}

export const ReplicaSetList = object(pkg, "ReplicaSetList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(ReplicaSet)),
}));
export interface ReplicaSetList extends Infer<typeof ReplicaSetList> {}

/** The desired state of a ReplicaSet. */
export const ReplicaSetSpec = message(pkg, "ReplicaSetSpec", () => ({
  replicas: pointer(1, int32),
  minReadySeconds: optional(4, int32),
  selector: required(2, LabelSelector, { pointer: true }),
  template: value(3, PodTemplateSpec),
}));
export interface ReplicaSetSpec extends Infer<typeof ReplicaSetSpec> {}

/** What the replica set controller last saw. */
export const ReplicaSetStatus = message(pkg, "ReplicaSetStatus", () => ({
  replicas: required(1, int32),
  fullyLabeledReplicas: optional(2, int32),
  readyReplicas: optional(4, int32),
  availableReplicas: optional(5, int32),
  observedGeneration: optional(3, int64),
  conditions: optional(6, list(ReplicaSetCondition), { patch: "merge", mergeKey: "type", list: "map", keys: ["type"] }),
}));
export interface ReplicaSetStatus extends Infer<typeof ReplicaSetStatus> {}

/** A condition of a ReplicaSet. */
export const ReplicaSetCondition = message(pkg, "ReplicaSetCondition", () => ({
  type: required(1, string),
  status: required(2, openEnumeration("True", "False", "Unknown")),
  lastTransitionTime: optional(3, time),
  reason: optional(4, string),
  message: optional(5, string),
}));
export interface ReplicaSetCondition extends Infer<typeof ReplicaSetCondition> {}
