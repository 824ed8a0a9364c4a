/**
 * Containers: what is asked for and what is observed. Wire numbers: CRI `runtime.v1` at API level 1.27.
 *
 * @module
 */

import type { ContainerState, MountPropagation } from "./enums.ts";
import type { ImageSpec } from "./image.ts";
import type { IDMapping, LinuxContainerSecurityContext } from "./security.ts";
import type { MessageSpec } from "./spec.ts";

/** One environment variable. */
export interface KeyValue {
  key: string;
  value: string;
}

/** A host path made visible in a container. */
export interface Mount {
  containerPath: string;
  hostPath: string;
  readonly: boolean;
  selinuxRelabel: boolean;
  propagation: MountPropagation;
  uidMappings: IDMapping[];
  gidMappings: IDMapping[];
}

/** A host device made visible in a container. `permissions` is a subset of `rwm`. */
export interface Device {
  containerPath: string;
  hostPath: string;
  permissions: string;
}

/** A fully qualified device name of the container device interface. */
export interface CDIDevice {
  name: string;
}

/** Identity of a container within its sandbox. A new `attempt` is a restart. */
export interface ContainerMetadata {
  name: string;
  attempt: number;
}

/** Everything needed to create a container. `logPath` is relative to the sandbox's `logDirectory`. */
export interface ContainerConfig {
  metadata?: ContainerMetadata;
  image?: ImageSpec;
  command: string[];
  args: string[];
  workingDir: string;
  envs: KeyValue[];
  mounts: Mount[];
  devices: Device[];
  labels: Record<string, string>;
  annotations: Record<string, string>;
  logPath: string;
  stdin: boolean;
  stdinOnce: boolean;
  tty: boolean;
  linux?: LinuxContainerConfig;
  cdiDevices: CDIDevice[];
}

/** Linux part of a container. */
export interface LinuxContainerConfig {
  resources?: LinuxContainerResources;
  securityContext?: LinuxContainerSecurityContext;
}

/** Limit in bytes for one huge page size, e.g. `2MB`. */
export interface HugepageLimit {
  pageSize: string;
  limit: number;
}

/** Cgroup settings. Periods and quotas in µs, memory in bytes; 0 means not set. */
export interface LinuxContainerResources {
  cpuPeriod: number;
  cpuQuota: number;
  cpuShares: number;
  memoryLimitInBytes: number;
  oomScoreAdj: number;
  cpusetCpus: string;
  cpusetMems: string;
  hugepageLimits: HugepageLimit[];
  unified: Record<string, string>;
  memorySwapLimitInBytes: number;
}

/** Resources a running container has. */
export interface ContainerResources {
  linux?: LinuxContainerResources;
}

/** A container in a list. `createdAt` is in ns since the epoch. */
export interface Container {
  id: string;
  podSandboxId: string;
  metadata?: ContainerMetadata;
  image?: ImageSpec;
  imageRef: string;
  state: ContainerState;
  createdAt: bigint;
  labels: Record<string, string>;
  annotations: Record<string, string>;
}

/** Wraps the state so that an absent one differs from CREATED. */
export interface ContainerStateValue {
  state: ContainerState;
}

/** Selects containers; all given parts must match. */
export interface ContainerFilter {
  id: string;
  state?: ContainerStateValue;
  podSandboxId: string;
  labelSelector: Record<string, string>;
}

/** An observed container. Times in ns since the epoch, 0n while not reached; `logPath` is absolute. */
export interface ContainerStatus {
  id: string;
  metadata?: ContainerMetadata;
  state: ContainerState;
  createdAt: bigint;
  startedAt: bigint;
  finishedAt: bigint;
  exitCode: number;
  image?: ImageSpec;
  imageRef: string;
  reason: string;
  message: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
  mounts: Mount[];
  logPath: string;
  resources?: ContainerResources;
}

/** Wire form of the messages of this file. */
export const containerMessages = {
  KeyValue: { key: [1, "string"], value: [2, "string"] } satisfies MessageSpec<KeyValue>,
  Mount: {
    containerPath: [1, "string"],
    hostPath: [2, "string"],
    readonly: [3, "bool"],
    selinuxRelabel: [4, "bool"],
    propagation: [5, "MountPropagation"],
    uidMappings: [6, "[]IDMapping"],
    gidMappings: [7, "[]IDMapping"],
  } satisfies MessageSpec<Mount>,
  Device: {
    containerPath: [1, "string"],
    hostPath: [2, "string"],
    permissions: [3, "string"],
  } satisfies MessageSpec<Device>,
  CDIDevice: { name: [1, "string"] } satisfies MessageSpec<CDIDevice>,
  ContainerMetadata: { name: [1, "string"], attempt: [2, "uint32"] } satisfies MessageSpec<ContainerMetadata>,
  ContainerConfig: {
    metadata: [1, "ContainerMetadata"],
    image: [2, "ImageSpec"],
    command: [3, "[]string"],
    args: [4, "[]string"],
    workingDir: [5, "string"],
    envs: [6, "[]KeyValue"],
    mounts: [7, "[]Mount"],
    devices: [8, "[]Device"],
    labels: [9, "map"],
    annotations: [10, "map"],
    logPath: [11, "string"],
    stdin: [12, "bool"],
    stdinOnce: [13, "bool"],
    tty: [14, "bool"],
    linux: [15, "LinuxContainerConfig"],
    cdiDevices: [17, "[]CDIDevice"],
  } satisfies MessageSpec<ContainerConfig>,
  LinuxContainerConfig: {
    resources: [1, "LinuxContainerResources"],
    securityContext: [2, "LinuxContainerSecurityContext"],
  } satisfies MessageSpec<LinuxContainerConfig>,
  HugepageLimit: { pageSize: [1, "string"], limit: [2, "uint64"] } satisfies MessageSpec<HugepageLimit>,
  LinuxContainerResources: {
    cpuPeriod: [1, "int64"],
    cpuQuota: [2, "int64"],
    cpuShares: [3, "int64"],
    memoryLimitInBytes: [4, "int64"],
    oomScoreAdj: [5, "int64"],
    cpusetCpus: [6, "string"],
    cpusetMems: [7, "string"],
    hugepageLimits: [8, "[]HugepageLimit"],
    unified: [9, "map"],
    memorySwapLimitInBytes: [10, "int64"],
  } satisfies MessageSpec<LinuxContainerResources>,
  ContainerResources: { linux: [1, "LinuxContainerResources"] } satisfies MessageSpec<ContainerResources>,
  Container: {
    id: [1, "string"],
    podSandboxId: [2, "string"],
    metadata: [3, "ContainerMetadata"],
    image: [4, "ImageSpec"],
    imageRef: [5, "string"],
    state: [6, "ContainerState"],
    createdAt: [7, "nanos"],
    labels: [8, "map"],
    annotations: [9, "map"],
  } satisfies MessageSpec<Container>,
  ContainerStateValue: { state: [1, "ContainerState"] } satisfies MessageSpec<ContainerStateValue>,
  ContainerFilter: {
    id: [1, "string"],
    state: [2, "ContainerStateValue"],
    podSandboxId: [3, "string"],
    labelSelector: [4, "map"],
  } satisfies MessageSpec<ContainerFilter>,
  ContainerStatus: {
    id: [1, "string"],
    metadata: [2, "ContainerMetadata"],
    state: [3, "ContainerState"],
    createdAt: [4, "nanos"],
    startedAt: [5, "nanos"],
    finishedAt: [6, "nanos"],
    exitCode: [7, "int32"],
    image: [8, "ImageSpec"],
    imageRef: [9, "string"],
    reason: [10, "string"],
    message: [11, "string"],
    labels: [12, "map"],
    annotations: [13, "map"],
    mounts: [14, "[]Mount"],
    logPath: [15, "string"],
    resources: [16, "ContainerResources"],
  } satisfies MessageSpec<ContainerStatus>,
};
