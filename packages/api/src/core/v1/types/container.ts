import {
  bool,
  embed,
  enumeration,
  type Infer,
  int32,
  list,
  mapOf,
  message,
  optional,
  pointer,
  quantity,
  required,
  string,
  value,
} from "@orchernetes/apimachinery";
import { EnvFromSource, EnvVar } from "./environment.ts";
import { Lifecycle, Probe } from "./probe.ts";
import { SecurityContext } from "./security-context.ts";

const pkg = "core/v1";

/**
 * A port that a container listens on. Listing it is information, except for hostPort and for the name: ports that are not
 * listed can be reached all the same.
 */
export const ContainerPort = message(pkg, "ContainerPort", () => ({
  name: optional(1, string),
  hostPort: optional(2, int32),
  containerPort: required(3, int32),
  protocol: optional(4, enumeration("TCP", "UDP", "SCTP"), { default: "TCP" }),
  hostIP: optional(5, string),
}));
export interface ContainerPort extends Infer<typeof ContainerPort> {}

/** Mounts a volume of the pod into a container. */
export const VolumeMount = message(pkg, "VolumeMount", () => ({
  name: required(1, string),
  readOnly: optional(2, bool),
  mountPath: required(3, string),
  subPath: optional(4, string),
  mountPropagation: pointer(5, enumeration("None", "HostToContainer", "Bidirectional")),
  subPathExpr: optional(6, string),
}));
export interface VolumeMount extends Infer<typeof VolumeMount> {}

/** Gives a container the block device behind a volume. */
export const VolumeDevice = message(pkg, "VolumeDevice", () => ({
  name: required(1, string),
  devicePath: required(2, string),
}));
export interface VolumeDevice extends Infer<typeof VolumeDevice> {}

/**
 * How a change of a resource is applied to a running container. Source: KEP-1287 (feature gate
 * InPlacePodVerticalScaling).
 */
export const ContainerResizePolicy = message(pkg, "ContainerResizePolicy", () => ({
  resourceName: required(1, string),
  restartPolicy: required(2, enumeration("NotRequired", "RestartContainer")),
}));
export interface ContainerResizePolicy extends Infer<typeof ContainerResizePolicy> {}

/** How much a container, or a volume claim, asks for and may use at most. */
export const ResourceRequirements = message(pkg, "ResourceRequirements", () => ({
  limits: optional(1, mapOf(quantity)),
  requests: optional(2, mapOf(quantity)),
  claims: optional(3, list(ResourceClaim), { list: "map", keys: ["name"], gate: "DynamicResourceAllocation" }),
}));
export interface ResourceRequirements extends Infer<typeof ResourceRequirements> {}

/** Names a claim of the pod that a container uses. */
export const ResourceClaim = message(pkg, "ResourceClaim", () => ({
  name: required(1, string),
}));
export interface ResourceClaim extends Infer<typeof ResourceClaim> {}

/** A program that a pod runs, with its image, environment and security settings. */
export const Container = message(pkg, "Container", () => ({
  name: required(1, string),
  image: optional(2, string),
  command: optional(3, list(string)),
  args: optional(4, list(string)),
  workingDir: optional(5, string),
  ports: optional(6, list(ContainerPort), {
    patch: "merge",
    mergeKey: "containerPort",
    list: "map",
    keys: ["containerPort", "protocol"],
  }),
  envFrom: optional(19, list(EnvFromSource)),
  env: optional(7, list(EnvVar), { patch: "merge", mergeKey: "name", list: "map", keys: ["name"] }),
  resources: value(8, ResourceRequirements),
  resizePolicy: optional(23, list(ContainerResizePolicy), { gate: "InPlacePodVerticalScaling" }),
  volumeMounts: optional(9, list(VolumeMount), {
    patch: "merge",
    mergeKey: "mountPath",
    list: "map",
    keys: ["mountPath"],
  }),
  volumeDevices: optional(21, list(VolumeDevice), {
    patch: "merge",
    mergeKey: "devicePath",
    list: "map",
    keys: ["devicePath"],
  }),
  livenessProbe: pointer(10, Probe),
  readinessProbe: pointer(11, Probe),
  startupProbe: pointer(22, Probe),
  lifecycle: pointer(12, Lifecycle),
  terminationMessagePath: optional(13, string),
  terminationMessagePolicy: optional(20, enumeration("File", "FallbackToLogsOnError")),
  imagePullPolicy: optional(14, enumeration("Always", "Never", "IfNotPresent")),
  securityContext: pointer(15, SecurityContext),
  stdin: optional(16, bool),
  stdinOnce: optional(17, bool),
  tty: optional(18, bool),
}));
export interface Container extends Infer<typeof Container> {}

/**
 * The fields that an ephemeral container shares with ordinary ones. Several exist for compatibility only and must stay
 * empty.
 */
export const EphemeralContainerCommon = message(pkg, "EphemeralContainerCommon", () => ({
  name: required(1, string),
  image: optional(2, string),
  command: optional(3, list(string)),
  args: optional(4, list(string)),
  workingDir: optional(5, string),
  ports: optional(6, list(ContainerPort), {
    patch: "merge",
    mergeKey: "containerPort",
    list: "map",
    keys: ["containerPort", "protocol"],
  }),
  envFrom: optional(19, list(EnvFromSource)),
  env: optional(7, list(EnvVar), { patch: "merge", mergeKey: "name" }),
  resources: value(8, ResourceRequirements),
  resizePolicy: optional(23, list(ContainerResizePolicy), { gate: "InPlacePodVerticalScaling" }),
  volumeMounts: optional(9, list(VolumeMount), { patch: "merge", mergeKey: "mountPath" }),
  volumeDevices: optional(21, list(VolumeDevice), { patch: "merge", mergeKey: "devicePath" }),
  livenessProbe: pointer(10, Probe),
  readinessProbe: pointer(11, Probe),
  startupProbe: pointer(22, Probe),
  lifecycle: pointer(12, Lifecycle),
  terminationMessagePath: optional(13, string),
  terminationMessagePolicy: optional(20, enumeration("File", "FallbackToLogsOnError")),
  imagePullPolicy: optional(14, enumeration("Always", "Never", "IfNotPresent")),
  securityContext: pointer(15, SecurityContext),
  stdin: optional(16, bool),
  stdinOnce: optional(17, bool),
  tty: optional(18, bool),
}));
export interface EphemeralContainerCommon extends Infer<typeof EphemeralContainerCommon> {}

/**
 * A container that is added to a running pod to debug it. It has no resource guarantees, is never restarted, and can be neither
 * changed nor removed. Source: KEP-277.
 */
export const EphemeralContainer = message(pkg, "EphemeralContainer", () => ({
  ...embed(1, "ephemeralContainerCommon", EphemeralContainerCommon),
  targetContainerName: optional(2, string),
}));
export interface EphemeralContainer extends Infer<typeof EphemeralContainer> {}
