/**
 * Pod sandboxes: the environment (network, hostname, cgroup) a pod's containers run in. Wire numbers: CRI `runtime.v1` at API level 1.27.
 *
 * @module
 */

import type { ContainerStatus, LinuxContainerResources } from "./container.ts";
import type { PodSandboxState, Protocol } from "./enums.ts";
import type { NamespaceOption, SELinuxOption, SecurityProfile } from "./security.ts";
import type { MessageSpec } from "./spec.ts";

/** Contents of a sandbox's resolv.conf. */
export interface DNSConfig {
  servers: string[];
  searches: string[];
  options: string[];
}

/** A host port leading to a container port. A `hostPort` of 0 maps nothing. */
export interface PortMapping {
  protocol: Protocol;
  containerPort: number;
  hostPort: number;
  hostIp: string;
}

/** Identity of a sandbox. A new `attempt` is a new sandbox of the same pod. */
export interface PodSandboxMetadata {
  name: string;
  uid: string;
  namespace: string;
  attempt: number;
}

/** Everything needed to make a sandbox. `logDirectory` is the absolute host folder that container `logPath`s are relative to. */
export interface PodSandboxConfig {
  metadata?: PodSandboxMetadata;
  hostname: string;
  logDirectory: string;
  dnsConfig?: DNSConfig;
  portMappings: PortMapping[];
  labels: Record<string, string>;
  annotations: Record<string, string>;
  linux?: LinuxPodSandboxConfig;
}

/** Linux part of a sandbox: cgroup parent, security, sysctls, summed resources of its containers. */
export interface LinuxPodSandboxConfig {
  cgroupParent: string;
  securityContext?: LinuxSandboxSecurityContext;
  sysctls: Record<string, string>;
  overhead?: LinuxContainerResources;
  resources?: LinuxContainerResources;
}

/** Identity and namespaces of the sandbox's own process. */
export interface LinuxSandboxSecurityContext {
  namespaceOptions?: NamespaceOption;
  selinuxOptions?: SELinuxOption;
  runAsUser?: number;
  readonlyRootfs: boolean;
  supplementalGroups: number[];
  privileged: boolean;
  /** @deprecated use the profile field */
  seccompProfilePath: string;
  runAsGroup?: number;
  seccomp?: SecurityProfile;
  apparmor?: SecurityProfile;
}

/** Request of `RunPodSandbox`. */
export interface RunPodSandboxRequest {
  config?: PodSandboxConfig;
  runtimeHandler: string;
}

/** Answer of `RunPodSandbox`. */
export interface RunPodSandboxResponse {
  podSandboxId: string;
}

/** Request of `StopPodSandbox`. */
export interface StopPodSandboxRequest {
  podSandboxId: string;
}

/** Answer of `StopPodSandbox`. */
export type StopPodSandboxResponse = Record<never, never>;

/** Request of `RemovePodSandbox`. */
export interface RemovePodSandboxRequest {
  podSandboxId: string;
}

/** Answer of `RemovePodSandbox`. */
export type RemovePodSandboxResponse = Record<never, never>;

/** Request of `PodSandboxStatus`. */
export interface PodSandboxStatusRequest {
  podSandboxId: string;
  verbose: boolean;
}

/** One further address of a sandbox. */
export interface PodIP {
  ip: string;
}

/** Addresses of a sandbox. Empty `ip` for host network. */
export interface PodSandboxNetworkStatus {
  ip: string;
  additionalIps: PodIP[];
}

/** Namespace options a sandbox has. */
export interface Namespace {
  options?: NamespaceOption;
}

/** Linux part of an observed sandbox. */
export interface LinuxPodSandboxStatus {
  namespaces?: Namespace;
}

/** An observed sandbox. `createdAt` is in ns since the epoch. */
export interface PodSandboxStatus {
  id: string;
  metadata?: PodSandboxMetadata;
  state: PodSandboxState;
  createdAt: bigint;
  network?: PodSandboxNetworkStatus;
  linux?: LinuxPodSandboxStatus;
  labels: Record<string, string>;
  annotations: Record<string, string>;
  runtimeHandler: string;
}

/** A sandbox's status; `info` is filled when `verbose` was asked for. `containersStatuses` and `timestamp` need event-based status in the runtime. */
export interface PodSandboxStatusResponse {
  status?: PodSandboxStatus;
  info: Record<string, string>;
  containersStatuses: ContainerStatus[];
  timestamp: bigint;
}

/** Wraps the state so that an absent one differs from READY. */
export interface PodSandboxStateValue {
  state: PodSandboxState;
}

/** Selects sandboxes; all given parts must match. */
export interface PodSandboxFilter {
  id: string;
  state?: PodSandboxStateValue;
  labelSelector: Record<string, string>;
}

/** Request of `ListPodSandbox`. */
export interface ListPodSandboxRequest {
  filter?: PodSandboxFilter;
}

/** A sandbox in a list. `createdAt` is in ns since the epoch. */
export interface PodSandbox {
  id: string;
  metadata?: PodSandboxMetadata;
  state: PodSandboxState;
  createdAt: bigint;
  labels: Record<string, string>;
  annotations: Record<string, string>;
  runtimeHandler: string;
}

/** Answer of `ListPodSandbox`. */
export interface ListPodSandboxResponse {
  items: PodSandbox[];
}

/** Wire form of the messages of this file. */
export const sandboxMessages = {
  DNSConfig: {
    servers: [1, "[]string"],
    searches: [2, "[]string"],
    options: [3, "[]string"],
  } satisfies MessageSpec<DNSConfig>,
  PortMapping: {
    protocol: [1, "Protocol"],
    containerPort: [2, "int32"],
    hostPort: [3, "int32"],
    hostIp: [4, "string"],
  } satisfies MessageSpec<PortMapping>,
  PodSandboxMetadata: {
    name: [1, "string"],
    uid: [2, "string"],
    namespace: [3, "string"],
    attempt: [4, "uint32"],
  } satisfies MessageSpec<PodSandboxMetadata>,
  PodSandboxConfig: {
    metadata: [1, "PodSandboxMetadata"],
    hostname: [2, "string"],
    logDirectory: [3, "string"],
    dnsConfig: [4, "DNSConfig"],
    portMappings: [5, "[]PortMapping"],
    labels: [6, "map"],
    annotations: [7, "map"],
    linux: [8, "LinuxPodSandboxConfig"],
  } satisfies MessageSpec<PodSandboxConfig>,
  LinuxPodSandboxConfig: {
    cgroupParent: [1, "string"],
    securityContext: [2, "LinuxSandboxSecurityContext"],
    sysctls: [3, "map"],
    overhead: [4, "LinuxContainerResources"],
    resources: [5, "LinuxContainerResources"],
  } satisfies MessageSpec<LinuxPodSandboxConfig>,
  LinuxSandboxSecurityContext: {
    namespaceOptions: [1, "NamespaceOption"],
    selinuxOptions: [2, "SELinuxOption"],
    runAsUser: [3, "Int64Value"],
    readonlyRootfs: [4, "bool"],
    supplementalGroups: [5, "[]int64"],
    privileged: [6, "bool"],
    seccompProfilePath: [7, "string"],
    runAsGroup: [8, "Int64Value"],
    seccomp: [9, "SecurityProfile"],
    apparmor: [10, "SecurityProfile"],
  } satisfies MessageSpec<LinuxSandboxSecurityContext>,
  RunPodSandboxRequest: {
    config: [1, "PodSandboxConfig"],
    runtimeHandler: [2, "string"],
  } satisfies MessageSpec<RunPodSandboxRequest>,
  RunPodSandboxResponse: { podSandboxId: [1, "string"] } satisfies MessageSpec<RunPodSandboxResponse>,
  StopPodSandboxRequest: { podSandboxId: [1, "string"] } satisfies MessageSpec<StopPodSandboxRequest>,
  StopPodSandboxResponse: {} satisfies MessageSpec<StopPodSandboxResponse>,
  RemovePodSandboxRequest: { podSandboxId: [1, "string"] } satisfies MessageSpec<RemovePodSandboxRequest>,
  RemovePodSandboxResponse: {} satisfies MessageSpec<RemovePodSandboxResponse>,
  PodSandboxStatusRequest: {
    podSandboxId: [1, "string"],
    verbose: [2, "bool"],
  } satisfies MessageSpec<PodSandboxStatusRequest>,
  PodIP: { ip: [1, "string"] } satisfies MessageSpec<PodIP>,
  PodSandboxNetworkStatus: {
    ip: [1, "string"],
    additionalIps: [2, "[]PodIP"],
  } satisfies MessageSpec<PodSandboxNetworkStatus>,
  Namespace: { options: [2, "NamespaceOption"] } satisfies MessageSpec<Namespace>,
  LinuxPodSandboxStatus: { namespaces: [1, "Namespace"] } satisfies MessageSpec<LinuxPodSandboxStatus>,
  PodSandboxStatus: {
    id: [1, "string"],
    metadata: [2, "PodSandboxMetadata"],
    state: [3, "PodSandboxState"],
    createdAt: [4, "nanos"],
    network: [5, "PodSandboxNetworkStatus"],
    linux: [6, "LinuxPodSandboxStatus"],
    labels: [7, "map"],
    annotations: [8, "map"],
    runtimeHandler: [9, "string"],
  } satisfies MessageSpec<PodSandboxStatus>,
  PodSandboxStatusResponse: {
    status: [1, "PodSandboxStatus"],
    info: [2, "map"],
    containersStatuses: [3, "[]ContainerStatus"],
    timestamp: [4, "nanos"],
  } satisfies MessageSpec<PodSandboxStatusResponse>,
  PodSandboxStateValue: { state: [1, "PodSandboxState"] } satisfies MessageSpec<PodSandboxStateValue>,
  PodSandboxFilter: {
    id: [1, "string"],
    state: [2, "PodSandboxStateValue"],
    labelSelector: [3, "map"],
  } satisfies MessageSpec<PodSandboxFilter>,
  ListPodSandboxRequest: { filter: [1, "PodSandboxFilter"] } satisfies MessageSpec<ListPodSandboxRequest>,
  PodSandbox: {
    id: [1, "string"],
    metadata: [2, "PodSandboxMetadata"],
    state: [3, "PodSandboxState"],
    createdAt: [4, "nanos"],
    labels: [5, "map"],
    annotations: [6, "map"],
    runtimeHandler: [7, "string"],
  } satisfies MessageSpec<PodSandbox>,
  ListPodSandboxResponse: { items: [1, "[]PodSandbox"] } satisfies MessageSpec<ListPodSandboxResponse>,
};
