import {
  type Infer,
  int32,
  int64,
  ListMeta,
  list,
  mapOf,
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
import { PodTemplateSpec } from "./pod-template.ts";

const pkg = "core/v1";

/** How many pods to run, and what they look like. */
export const ReplicationControllerSpec = message(pkg, "ReplicationControllerSpec", () => ({
  replicas: pointer(1, int32),
  minReadySeconds: optional(4, int32),
  selector: optional(2, mapOf(string), { atomic: true }),
  template: pointer(3, PodTemplateSpec),
}));
export interface ReplicationControllerSpec extends Infer<typeof ReplicationControllerSpec> {}

/** What the controller last saw of its pods. */
export const ReplicationControllerStatus = message(pkg, "ReplicationControllerStatus", () => ({
  replicas: required(1, int32),
  fullyLabeledReplicas: optional(2, int32),
  readyReplicas: optional(4, int32),
  availableReplicas: optional(5, int32),
  observedGeneration: optional(3, int64),
  conditions: optional(6, list(ReplicationControllerCondition), {
    patch: "merge",
    mergeKey: "type",
    list: "map",
    keys: ["type"],
  }),
}));
export interface ReplicationControllerStatus extends Infer<typeof ReplicationControllerStatus> {}

/** A condition of a replication controller. */
export const ReplicationControllerCondition = message(pkg, "ReplicationControllerCondition", () => ({
  type: required(1, string),
  status: required(2, openEnumeration("True", "False", "Unknown")),
  lastTransitionTime: optional(3, time),
  reason: optional(4, string),
  message: optional(5, string),
}));
export interface ReplicationControllerCondition extends Infer<typeof ReplicationControllerCondition> {}

/**
 * The predecessor of ReplicaSet, with a selector of labels only. `selector` defaults to the labels of the template, `replicas`
 * to 1.
 */
export const ReplicationController = object(pkg, "ReplicationController", () => ({
  metadata: value(1, ObjectMeta),
  spec: value(2, ReplicationControllerSpec),
  status: value(3, ReplicationControllerStatus),
}));
export interface ReplicationController extends Infer<typeof ReplicationController> {}

export const ReplicationControllerList = object(pkg, "ReplicationControllerList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(ReplicationController)),
}));
export interface ReplicationControllerList extends Infer<typeof ReplicationControllerList> {}
