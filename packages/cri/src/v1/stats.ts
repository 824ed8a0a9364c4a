/**
 * Resource usage of containers and sandboxes. Wire numbers: CRI `runtime.v1` at API level 1.27.
 *
 * @module
 */

import type { ContainerMetadata } from "./container.ts";
import type { FilesystemUsage } from "./image.ts";
import type { PodSandboxMetadata } from "./sandbox.ts";
import type { MessageSpec } from "./spec.ts";

/** Which container a record is about. */
export interface ContainerAttributes {
  id: string;
  metadata?: ContainerMetadata;
  labels: Record<string, string>;
  annotations: Record<string, string>;
}

/** Which sandbox a record is about. */
export interface PodSandboxAttributes {
  id: string;
  metadata?: PodSandboxMetadata;
  labels: Record<string, string>;
  annotations: Record<string, string>;
}

/** CPU time used since start in core-ns, and the current rate in nano-cores. */
export interface CpuUsage {
  timestamp: bigint;
  usageCoreNanoSeconds?: number;
  usageNanoCores?: number;
}

/** Memory in bytes; working set is what can't be reclaimed under pressure. */
export interface MemoryUsage {
  timestamp: bigint;
  workingSetBytes?: number;
  availableBytes?: number;
  usageBytes?: number;
  rssBytes?: number;
  pageFaults?: number;
  majorPageFaults?: number;
}

/** Counters of one interface. */
export interface NetworkInterfaceUsage {
  name: string;
  rxBytes?: number;
  rxErrors?: number;
  txBytes?: number;
  txErrors?: number;
}

/** Counters of a sandbox's interfaces. */
export interface NetworkUsage {
  timestamp: bigint;
  defaultInterface?: NetworkInterfaceUsage;
  interfaces: NetworkInterfaceUsage[];
}

/** Number of processes. */
export interface ProcessUsage {
  timestamp: bigint;
  processCount?: number;
}

/** Usage of one container. */
export interface ContainerStats {
  attributes?: ContainerAttributes;
  cpu?: CpuUsage;
  memory?: MemoryUsage;
  writableLayer?: FilesystemUsage;
}

/** Linux part of a sandbox's usage. */
export interface LinuxPodSandboxStats {
  cpu?: CpuUsage;
  memory?: MemoryUsage;
  network?: NetworkUsage;
  process?: ProcessUsage;
  containers: ContainerStats[];
}

/** Usage of one sandbox with its containers. */
export interface PodSandboxStats {
  attributes?: PodSandboxAttributes;
  linux?: LinuxPodSandboxStats;
}

/** Wire form of the messages of this file. */
export const statsMessages = {
  ContainerAttributes: {
    id: [1, "string"],
    metadata: [2, "ContainerMetadata"],
    labels: [3, "map"],
    annotations: [4, "map"],
  } satisfies MessageSpec<ContainerAttributes>,
  PodSandboxAttributes: {
    id: [1, "string"],
    metadata: [2, "PodSandboxMetadata"],
    labels: [3, "map"],
    annotations: [4, "map"],
  } satisfies MessageSpec<PodSandboxAttributes>,
  CpuUsage: {
    timestamp: [1, "nanos"],
    usageCoreNanoSeconds: [2, "UInt64Value"],
    usageNanoCores: [3, "UInt64Value"],
  } satisfies MessageSpec<CpuUsage>,
  MemoryUsage: {
    timestamp: [1, "nanos"],
    workingSetBytes: [2, "UInt64Value"],
    availableBytes: [3, "UInt64Value"],
    usageBytes: [4, "UInt64Value"],
    rssBytes: [5, "UInt64Value"],
    pageFaults: [6, "UInt64Value"],
    majorPageFaults: [7, "UInt64Value"],
  } satisfies MessageSpec<MemoryUsage>,
  NetworkInterfaceUsage: {
    name: [1, "string"],
    rxBytes: [2, "UInt64Value"],
    rxErrors: [3, "UInt64Value"],
    txBytes: [4, "UInt64Value"],
    txErrors: [5, "UInt64Value"],
  } satisfies MessageSpec<NetworkInterfaceUsage>,
  NetworkUsage: {
    timestamp: [1, "nanos"],
    defaultInterface: [2, "NetworkInterfaceUsage"],
    interfaces: [3, "[]NetworkInterfaceUsage"],
  } satisfies MessageSpec<NetworkUsage>,
  ProcessUsage: { timestamp: [1, "nanos"], processCount: [2, "UInt64Value"] } satisfies MessageSpec<ProcessUsage>,
  ContainerStats: {
    attributes: [1, "ContainerAttributes"],
    cpu: [2, "CpuUsage"],
    memory: [3, "MemoryUsage"],
    writableLayer: [4, "FilesystemUsage"],
  } satisfies MessageSpec<ContainerStats>,
  LinuxPodSandboxStats: {
    cpu: [1, "CpuUsage"],
    memory: [2, "MemoryUsage"],
    network: [3, "NetworkUsage"],
    process: [4, "ProcessUsage"],
    containers: [5, "[]ContainerStats"],
  } satisfies MessageSpec<LinuxPodSandboxStats>,
  PodSandboxStats: {
    attributes: [1, "PodSandboxAttributes"],
    linux: [2, "LinuxPodSandboxStats"],
  } satisfies MessageSpec<PodSandboxStats>,
};
