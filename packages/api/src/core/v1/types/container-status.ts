import {
  bool,
  type Infer,
  int32,
  int64,
  list,
  mapOf,
  message,
  optional,
  pointer,
  quantity,
  required,
  string,
  time,
  value,
} from "@orchernetes/apimachinery";
import { ResourceRequirements } from "./container.ts";

const pkg = "core/v1";

/** A container that is not running yet, or not running again yet. */
export const ContainerStateWaiting = message(pkg, "ContainerStateWaiting", () => ({
  reason: optional(1, string),
  message: optional(2, string),
}));
export interface ContainerStateWaiting extends Infer<typeof ContainerStateWaiting> {}

/** A running container. */
export const ContainerStateRunning = message(pkg, "ContainerStateRunning", () => ({
  startedAt: optional(1, time),
}));
export interface ContainerStateRunning extends Infer<typeof ContainerStateRunning> {}

/** A container that ran and has ended. */
export const ContainerStateTerminated = message(pkg, "ContainerStateTerminated", () => ({
  exitCode: required(1, int32),
  signal: optional(2, int32),
  reason: optional(3, string),
  message: optional(4, string),
  startedAt: optional(5, time),
  finishedAt: optional(6, time),
  containerID: optional(7, string),
}));
export interface ContainerStateTerminated extends Infer<typeof ContainerStateTerminated> {}

/** The state of a container: waiting, running or terminated; waiting if none is set. */
export const ContainerState = message(pkg, "ContainerState", () => ({
  waiting: pointer(1, ContainerStateWaiting),
  running: pointer(2, ContainerStateRunning),
  terminated: pointer(3, ContainerStateTerminated),
}));
export interface ContainerState extends Infer<typeof ContainerState> {}

/** What the orchlet last saw of one container of a pod. */
export const ContainerStatus = message(pkg, "ContainerStatus", () => ({
  name: required(1, string),
  state: value(2, ContainerState),
  lastState: value(3, ContainerState),
  ready: required(4, bool),
  restartCount: required(5, int32),
  image: required(6, string),
  imageID: required(7, string),
  containerID: optional(8, string),
  started: pointer(9, bool),
  allocatedResources: optional(10, mapOf(quantity), { gate: "InPlacePodVerticalScaling" }),
  resources: pointer(11, ResourceRequirements, { gate: "InPlacePodVerticalScaling" }),
}));
export interface ContainerStatus extends Infer<typeof ContainerStatus> {}

/** An image that is stored on a node. */
export const ContainerImage = message(pkg, "ContainerImage", () => ({
  names: pointer(1, list(string)),
  sizeBytes: optional(2, int64),
}));
export interface ContainerImage extends Infer<typeof ContainerImage> {}
