import {
  bool,
  enumeration,
  type Infer,
  int32,
  int64,
  ListMeta,
  list,
  mapOf,
  message,
  ObjectMeta,
  OwnerReference,
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
import { Affinity, Toleration, TopologySpreadConstraint } from "./affinity.ts";
import { Container, EphemeralContainer } from "./container.ts";
import { ContainerStatus } from "./container-status.ts";
import { LocalObjectReference } from "./references.ts";
import { PodSecurityContext } from "./security-context.ts";
import { Volume } from "./volume-sources.ts";

const pkg = "core/v1";

/** A condition of a pod. */
export const PodCondition = message(pkg, "PodCondition", () => ({
  type: required(1, string),
  status: required(2, openEnumeration("True", "False", "Unknown")),
  lastProbeTime: optional(3, time),
  lastTransitionTime: optional(4, time),
  reason: optional(5, string),
  message: optional(6, string),
}));
export interface PodCondition extends Infer<typeof PodCondition> {}

/** A condition that the pod must have to be ready, in addition to its containers. Source: KEP-580. */
export const PodReadinessGate = message(pkg, "PodReadinessGate", () => ({
  conditionType: required(1, string),
}));
export interface PodReadinessGate extends Infer<typeof PodReadinessGate> {}

/**
 * The desired state of a pod.
 *
 * Defaults: `restartPolicy` Always, `dnsPolicy` ClusterFirst, `terminationGracePeriodSeconds` 30. `schedulingGates`: KEP-3521;
 * `os`: KEP-2802; `hostUsers`: KEP-127; `readinessGates`: KEP-580.
 */
export const PodSpec = message(pkg, "PodSpec", () => ({
  volumes: optional(1, list(Volume), { patch: "merge,retainKeys", mergeKey: "name", list: "map", keys: ["name"] }),
  initContainers: optional(20, list(Container), { patch: "merge", mergeKey: "name", list: "map", keys: ["name"] }),
  containers: required(2, list(Container), { patch: "merge", mergeKey: "name", list: "map", keys: ["name"] }),
  ephemeralContainers: optional(34, list(EphemeralContainer), {
    patch: "merge",
    mergeKey: "name",
    list: "map",
    keys: ["name"],
  }),
  restartPolicy: optional(3, enumeration("Always", "OnFailure", "Never")),
  terminationGracePeriodSeconds: pointer(4, int64),
  activeDeadlineSeconds: pointer(5, int64),
  dnsPolicy: optional(6, enumeration("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")),
  nodeSelector: optional(7, mapOf(string), { atomic: true }),
  serviceAccountName: optional(8, string),
  serviceAccount: optional(9, string, { deprecated: true }),
  automountServiceAccountToken: pointer(21, bool),
  nodeName: optional(10, string),
  hostNetwork: optional(11, bool),
  hostPID: optional(12, bool),
  hostIPC: optional(13, bool),
  shareProcessNamespace: pointer(27, bool),
  securityContext: pointer(14, PodSecurityContext),
  imagePullSecrets: optional(15, list(LocalObjectReference), {
    patch: "merge",
    mergeKey: "name",
    list: "map",
    keys: ["name"],
  }),
  hostname: optional(16, string),
  subdomain: optional(17, string),
  affinity: pointer(18, Affinity),
  schedulerName: optional(19, string),
  tolerations: optional(22, list(Toleration)),
  hostAliases: optional(23, list(HostAlias), { patch: "merge", mergeKey: "ip", list: "map", keys: ["ip"] }),
  priorityClassName: optional(24, string),
  priority: pointer(25, int32),
  dnsConfig: pointer(26, PodDNSConfig),
  readinessGates: optional(28, list(PodReadinessGate)),
  runtimeClassName: pointer(29, string),
  enableServiceLinks: pointer(30, bool),
  preemptionPolicy: pointer(31, enumeration("PreemptLowerPriority", "Never")),
  overhead: optional(32, mapOf(quantity)),
  topologySpreadConstraints: optional(33, list(TopologySpreadConstraint), {
    patch: "merge",
    mergeKey: "topologyKey",
    list: "map",
    keys: ["topologyKey", "whenUnsatisfiable"],
  }),
  setHostnameAsFQDN: pointer(35, bool),
  os: pointer(36, PodOS),
  hostUsers: pointer(37, bool, { gate: "UserNamespacesStatelessPodsSupport" }),
  schedulingGates: optional(38, list(PodSchedulingGate), {
    patch: "merge",
    mergeKey: "name",
    list: "map",
    keys: ["name"],
    gate: "PodSchedulingReadiness",
  }),
  resourceClaims: optional(39, list(PodResourceClaim), {
    patch: "merge,retainKeys",
    mergeKey: "name",
    list: "map",
    keys: ["name"],
    gate: "DynamicResourceAllocation",
  }),
}));
export interface PodSpec extends Infer<typeof PodSpec> {}

/** A claim, and the name by which containers of the pod refer to it. */
export const PodResourceClaim = message(pkg, "PodResourceClaim", () => ({
  name: required(1, string),
  source: value(2, ClaimSource),
}));
export interface PodResourceClaim extends Infer<typeof PodResourceClaim> {}

/** The claim or claim template of a pod. Exactly one field is set. */
export const ClaimSource = message(pkg, "ClaimSource", () => ({
  resourceClaimName: pointer(1, string),
  resourceClaimTemplateName: pointer(2, string),
}));
export interface ClaimSource extends Infer<typeof ClaimSource> {}

/** Operating system of a pod's containers. */
export const PodOS = message(pkg, "PodOS", () => ({
  name: required(1, openEnumeration("linux", "windows")),
}));
export interface PodOS extends Infer<typeof PodOS> {}

/** A condition by name: the pod is not scheduled while it has one. Source: KEP-3521. */
export const PodSchedulingGate = message(pkg, "PodSchedulingGate", () => ({
  name: required(1, string),
}));
export interface PodSchedulingGate extends Infer<typeof PodSchedulingGate> {}

/** A line of /etc/hosts. */
export const HostAlias = message(pkg, "HostAlias", () => ({
  ip: optional(1, string),
  hostnames: optional(2, list(string)),
}));
export interface HostAlias extends Infer<typeof HostAlias> {}

/** DNS settings that are merged into those of dnsPolicy. Duplicates are dropped. */
export const PodDNSConfig = message(pkg, "PodDNSConfig", () => ({
  nameservers: optional(1, list(string)),
  searches: optional(2, list(string)),
  options: optional(3, list(PodDNSConfigOption)),
}));
export interface PodDNSConfig extends Infer<typeof PodDNSConfig> {}

/** One option of the resolver. */
export const PodDNSConfigOption = message(pkg, "PodDNSConfigOption", () => ({
  name: optional(1, string),
  value: pointer(2, string),
}));
export interface PodDNSConfigOption extends Infer<typeof PodDNSConfigOption> {}

/** One address of a pod. */
export const PodIP = message(pkg, "PodIP", () => ({
  ip: optional(1, string),
}));
export interface PodIP extends Infer<typeof PodIP> {}

/** The observed state of a pod. It is stale while its node cannot be reached. */
export const PodStatus = message(pkg, "PodStatus", () => ({
  phase: optional(1, enumeration("Pending", "Running", "Succeeded", "Failed", "Unknown")),
  conditions: optional(2, list(PodCondition), { patch: "merge", mergeKey: "type", list: "map", keys: ["type"] }),
  message: optional(3, string),
  reason: optional(4, string),
  nominatedNodeName: optional(11, string),
  hostIP: optional(5, string),
  podIP: optional(6, string),
  podIPs: optional(12, list(PodIP), { patch: "merge", mergeKey: "ip", list: "map", keys: ["ip"] }),
  startTime: pointer(7, time),
  initContainerStatuses: optional(10, list(ContainerStatus)),
  containerStatuses: optional(8, list(ContainerStatus)),
  qosClass: optional(9, enumeration("Guaranteed", "Burstable", "BestEffort")),
  ephemeralContainerStatuses: optional(13, list(ContainerStatus)),
  resize: optional(14, string, { gate: "InPlacePodVerticalScaling" }),
}));
export interface PodStatus extends Infer<typeof PodStatus> {}

/** A pod's status by itself, as old interfaces exchange it. Not served. */
export const PodStatusResult = object(pkg, "PodStatusResult", () => ({
  metadata: value(1, ObjectMeta),
  status: value(2, PodStatus),
}));
export interface PodStatusResult extends Infer<typeof PodStatusResult> {}

/**
 * A group of containers that run together on one node and share network and volumes.
 *
 * Subresources: `status`, `binding`, `eviction`, `ephemeralcontainers` (KEP-277), `log`, `exec`, `attach`, `portforward`,
 * `proxy`.
 */
export const Pod = object(pkg, "Pod", () => ({
  metadata: value(1, ObjectMeta),
  spec: value(2, PodSpec),
  status: value(3, PodStatus),
}));
export interface Pod extends Infer<typeof Pod> {}

export const PodList = object(pkg, "PodList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(Pod)),
}));
export interface PodList extends Infer<typeof PodList> {}

/** Identifies a group of pods by what they have in common. */
export const PodSignature = message(pkg, "PodSignature", () => ({
  podController: pointer(1, OwnerReference),
}));
export interface PodSignature extends Infer<typeof PodSignature> {}
