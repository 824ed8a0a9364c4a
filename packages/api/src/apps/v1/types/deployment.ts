import {
  bool,
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

/**
 * A set of equal pods, whose changes of the template are rolled out step by step. It owns one ReplicaSet for each template.
 *
 * Defaults: `replicas` 1, `strategy` RollingUpdate with 25 % unavailable and 25 % surge, `revisionHistoryLimit` 10,
 * `progressDeadlineSeconds` 600. `selector` is immutable.
 */
export const Deployment = object(pkg, "Deployment", () => ({
  metadata: value(1, ObjectMeta),
  spec: value(2, DeploymentSpec),
  status: value(3, DeploymentStatus),
}));
export interface Deployment extends Infer<typeof Deployment> {}

/** The desired state of a Deployment. */
export const DeploymentSpec = message(pkg, "DeploymentSpec", () => ({
  replicas: pointer(1, int32),
  selector: required(2, LabelSelector, { pointer: true }),
  template: required(3, PodTemplateSpec),
  strategy: value(4, DeploymentStrategy, { patch: "retainKeys" }),
  minReadySeconds: optional(5, int32),
  revisionHistoryLimit: pointer(6, int32),
  paused: optional(7, bool),
  progressDeadlineSeconds: pointer(9, int32),
}));
export interface DeploymentSpec extends Infer<typeof DeploymentSpec> {}

/** How the pods of an old template are replaced by those of a new one. */
export const DeploymentStrategy = message(pkg, "DeploymentStrategy", () => ({
  type: optional(1, enumeration("Recreate", "RollingUpdate")),
  rollingUpdate: pointer(2, RollingUpdateDeployment),
}));
export interface DeploymentStrategy extends Infer<typeof DeploymentStrategy> {}

/** How far a rolling update may deviate from the desired number of pods. */
export const RollingUpdateDeployment = message(pkg, "RollingUpdateDeployment", () => ({
  maxUnavailable: pointer(1, intOrString),
  maxSurge: pointer(2, intOrString),
}));
export interface RollingUpdateDeployment extends Infer<typeof RollingUpdateDeployment> {}

/** What the deployment controller last saw. */
export const DeploymentStatus = message(pkg, "DeploymentStatus", () => ({
  observedGeneration: optional(1, int64),
  replicas: optional(2, int32),
  updatedReplicas: optional(3, int32),
  readyReplicas: optional(7, int32),
  availableReplicas: optional(4, int32),
  unavailableReplicas: optional(5, int32),
  conditions: optional(6, list(DeploymentCondition), { patch: "merge", mergeKey: "type", list: "map", keys: ["type"] }),
  collisionCount: pointer(8, int32),
}));
export interface DeploymentStatus extends Infer<typeof DeploymentStatus> {}

/** A condition of a Deployment. */
export const DeploymentCondition = message(pkg, "DeploymentCondition", () => ({
  type: required(1, string),
  status: required(2, openEnumeration("True", "False", "Unknown")),
  lastUpdateTime: optional(6, time),
  lastTransitionTime: optional(7, time),
  reason: optional(4, string),
  message: optional(5, string),
}));
export interface DeploymentCondition extends Infer<typeof DeploymentCondition> {}

export const DeploymentList = object(pkg, "DeploymentList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(Deployment)),
}));
export interface DeploymentList extends Infer<typeof DeploymentList> {}
