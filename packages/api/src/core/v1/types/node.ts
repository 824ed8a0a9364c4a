import {
  bool,
  enumeration,
  type Infer,
  int32,
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
import { Taint } from "./affinity.ts";
import { ContainerImage } from "./container-status.ts";
import { PodSignature } from "./pod.ts";

const pkg = "core/v1";

/** The desired state of a node. */
export const NodeSpec = message(pkg, "NodeSpec", () => ({
  podCIDR: optional(1, string),
  podCIDRs: optional(7, list(string), { patch: "merge", list: "set" }),
  providerID: optional(3, string),
  unschedulable: optional(4, bool),
  taints: optional(5, list(Taint)),
  configSource: pointer(6, NodeConfigSource, { deprecated: true }),
  externalID: optional(2, string, { deprecated: true }),
}));
export interface NodeSpec extends Infer<typeof NodeSpec> {}

/**
 * Where an orchlet's configuration comes from. Deprecated. Removed in 1.24 together with dynamic configuration; dropped from
 * what clients write.
 */
export const NodeConfigSource = message(pkg, "NodeConfigSource", () => ({
  configMap: pointer(2, ConfigMapNodeConfigSource),
}));
export interface NodeConfigSource extends Infer<typeof NodeConfigSource> {}

/**
 * A value of a config map that holds an orchlet's configuration. Deprecated. Removed in 1.24 together with dynamic
 * configuration; dropped from what clients write.
 */
export const ConfigMapNodeConfigSource = message(pkg, "ConfigMapNodeConfigSource", () => ({
  namespace: required(1, string),
  name: required(2, string),
  uid: optional(3, string),
  resourceVersion: optional(4, string),
  orchletConfigKey: required(5, string),
}));
export interface ConfigMapNodeConfigSource extends Infer<typeof ConfigMapNodeConfigSource> {}

/** Where a daemon of a node listens. */
export const DaemonEndpoint = message(pkg, "DaemonEndpoint", () => ({
  Port: required(1, int32),
}));
export interface DaemonEndpoint extends Infer<typeof DaemonEndpoint> {}

/** Where the daemons of a node listen. */
export const NodeDaemonEndpoints = message(pkg, "NodeDaemonEndpoints", () => ({
  orchletEndpoint: value(1, DaemonEndpoint),
}));
export interface NodeDaemonEndpoints extends Infer<typeof NodeDaemonEndpoints> {}

/** Identifiers and versions of a machine and its software. */
export const NodeSystemInfo = message(pkg, "NodeSystemInfo", () => ({
  machineID: required(1, string),
  systemUUID: required(2, string),
  bootID: required(3, string),
  kernelVersion: required(4, string),
  osImage: required(5, string),
  containerRuntimeVersion: required(6, string),
  orchletVersion: required(7, string),
  orchProxyVersion: required(8, string),
  operatingSystem: required(9, string),
  architecture: required(10, string),
}));
export interface NodeSystemInfo extends Infer<typeof NodeSystemInfo> {}

/**
 * Which configuration an orchlet was given and which it uses. Deprecated. Removed in 1.24 together with dynamic configuration;
 * dropped from what clients write.
 */
export const NodeConfigStatus = message(pkg, "NodeConfigStatus", () => ({
  assigned: pointer(1, NodeConfigSource),
  active: pointer(2, NodeConfigSource),
  lastKnownGood: pointer(3, NodeConfigSource),
  error: optional(4, string),
}));
export interface NodeConfigStatus extends Infer<typeof NodeConfigStatus> {}

/** The observed state of a node, mostly written by its orchlet. */
export const NodeStatus = message(pkg, "NodeStatus", () => ({
  capacity: optional(1, mapOf(quantity)),
  allocatable: optional(2, mapOf(quantity)),
  phase: optional(3, enumeration("Pending", "Running", "Terminated"), { deprecated: true }),
  conditions: optional(4, list(NodeCondition), { patch: "merge", mergeKey: "type", list: "map", keys: ["type"] }),
  addresses: optional(5, list(NodeAddress), { patch: "merge", mergeKey: "type", list: "map", keys: ["type"] }),
  daemonEndpoints: value(6, NodeDaemonEndpoints),
  nodeInfo: value(7, NodeSystemInfo),
  images: optional(8, list(ContainerImage)),
  volumesInUse: optional(9, list(string)),
  volumesAttached: optional(10, list(AttachedVolume)),
  config: pointer(11, NodeConfigStatus),
}));
export interface NodeStatus extends Infer<typeof NodeStatus> {}

/** A volume that is attached to a node. */
export const AttachedVolume = message(pkg, "AttachedVolume", () => ({
  name: required(1, string),
  devicePath: required(2, string),
}));
export interface AttachedVolume extends Infer<typeof AttachedVolume> {}

/** Pods that a node prefers not to run. It was stored in an annotation of nodes that no scheduler reads any more. */
export const AvoidPods = message(pkg, "AvoidPods", () => ({
  preferAvoidPods: optional(1, list(PreferAvoidPodsEntry)),
}));
export interface AvoidPods extends Infer<typeof AvoidPods> {}

/** A group of pods that a node prefers not to run. No longer in use. */
export const PreferAvoidPodsEntry = message(pkg, "PreferAvoidPodsEntry", () => ({
  podSignature: required(1, PodSignature),
  evictionTime: optional(2, time),
  reason: optional(3, string),
  message: optional(4, string),
}));
export interface PreferAvoidPodsEntry extends Infer<typeof PreferAvoidPodsEntry> {}

/** A condition of a node. */
export const NodeCondition = message(pkg, "NodeCondition", () => ({
  type: required(1, string),
  status: required(2, openEnumeration("True", "False", "Unknown")),
  lastHeartbeatTime: optional(3, time),
  lastTransitionTime: optional(4, time),
  reason: optional(5, string),
  message: optional(6, string),
}));
export interface NodeCondition extends Infer<typeof NodeCondition> {}

/** One address of a node. */
export const NodeAddress = message(pkg, "NodeAddress", () => ({
  type: required(1, enumeration("Hostname", "InternalIP", "ExternalIP", "InternalDNS", "ExternalDNS")),
  address: required(2, string),
}));
export interface NodeAddress extends Infer<typeof NodeAddress> {}

/** A machine of the cluster. Its orchlet writes most of `status`, and renews a Lease as heartbeat (KEP-589). */
export const Node = object(pkg, "Node", () => ({
  metadata: value(1, ObjectMeta),
  spec: value(2, NodeSpec),
  status: value(3, NodeStatus),
}));
export interface Node extends Infer<typeof Node> {}

export const NodeList = object(pkg, "NodeList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(Node)),
}));
export interface NodeList extends Infer<typeof NodeList> {}

/** What a node has. Not part of any object that is served. */
export const NodeResources = message(pkg, "NodeResources", () => ({
  Capacity: required(1, mapOf(quantity)),
}));
export interface NodeResources extends Infer<typeof NodeResources> {}
