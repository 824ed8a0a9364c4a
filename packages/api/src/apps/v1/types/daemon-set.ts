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
import { PodTemplateSpec } from "../../../core/v1/types/pod-template.ts";

const pkg = "apps/v1";

/** How the pods of an old template give way to those of a new one. */
export const DaemonSetUpdateStrategy = message(pkg, "DaemonSetUpdateStrategy", () => ({
  type: optional(1, enumeration("RollingUpdate", "OnDelete")),
  rollingUpdate: pointer(2, RollingUpdateDaemonSet),
}));
export interface DaemonSetUpdateStrategy extends Infer<typeof DaemonSetUpdateStrategy> {}

/** How many nodes a rolling update of a DaemonSet works on at a time. */
export const RollingUpdateDaemonSet = message(pkg, "RollingUpdateDaemonSet", () => ({
  maxUnavailable: pointer(1, intOrString),
  maxSurge: pointer(2, intOrString),
}));
export interface RollingUpdateDaemonSet extends Infer<typeof RollingUpdateDaemonSet> {}

/** The desired state of a DaemonSet. */
export const DaemonSetSpec = message(pkg, "DaemonSetSpec", () => ({
  selector: required(1, LabelSelector, { pointer: true }),
  template: required(2, PodTemplateSpec),
  updateStrategy: value(3, DaemonSetUpdateStrategy),
  minReadySeconds: optional(4, int32),
  revisionHistoryLimit: pointer(6, int32),
}));
export interface DaemonSetSpec extends Infer<typeof DaemonSetSpec> {}

/** What the daemon set controller last saw, counted in nodes. */
export const DaemonSetStatus = message(pkg, "DaemonSetStatus", () => ({
  currentNumberScheduled: required(1, int32),
  numberMisscheduled: required(2, int32),
  desiredNumberScheduled: required(3, int32),
  numberReady: required(4, int32),
  observedGeneration: optional(5, int64),
  updatedNumberScheduled: optional(6, int32),
  numberAvailable: optional(7, int32),
  numberUnavailable: optional(8, int32),
  collisionCount: pointer(9, int32),
  conditions: optional(10, list(DaemonSetCondition), { patch: "merge", mergeKey: "type", list: "map", keys: ["type"] }),
}));
export interface DaemonSetStatus extends Infer<typeof DaemonSetStatus> {}

/** A condition of a DaemonSet. */
export const DaemonSetCondition = message(pkg, "DaemonSetCondition", () => ({
  type: required(1, string),
  status: required(2, openEnumeration("True", "False", "Unknown")),
  lastTransitionTime: optional(3, time),
  reason: optional(4, string),
  message: optional(5, string),
}));
export interface DaemonSetCondition extends Infer<typeof DaemonSetCondition> {}

/**
 * One pod on every node that the template allows.
 *
 * Defaults: `updateStrategy` RollingUpdate with one node unavailable, `revisionHistoryLimit` 10. `selector` is immutable.
 * `maxSurge`: KEP-1591.
 */
export const DaemonSet = object(pkg, "DaemonSet", () => ({
  metadata: value(1, ObjectMeta),
  spec: value(2, DaemonSetSpec),
  status: value(3, DaemonSetStatus),
}));
export interface DaemonSet extends Infer<typeof DaemonSet> {}

export const DaemonSetList = object(pkg, "DaemonSetList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(DaemonSet)),
}));
export interface DaemonSetList extends Infer<typeof DaemonSetList> {}
