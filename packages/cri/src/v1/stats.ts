/**
 * Resource usage of containers and sandboxes. Counters are absent if the runtime does not have them.
 *
 * @module
 */
import { ContainerAttributes } from "./container.ts";
import { list, nanos, string, uint64 } from "./fields.ts";
import { FilesystemUsage } from "./image.ts";
import { type Infer, message, wrapper } from "./message.ts";
import { PodSandboxAttributes } from "./sandbox.ts";

const count = wrapper(uint64);

const CpuUsage = message({
  timestamp: [1, nanos],
  /** CPU time since the start. */
  usageCoreNanoSeconds: [2, count],
  /** Mean rate over the latest interval that the runtime measured. */
  usageNanoCores: [3, count],
});

const MemoryUsage = message({
  timestamp: [1, nanos],
  /** Memory that cannot be reclaimed under pressure. */
  workingSetBytes: [2, count],
  /** Limit less working set. */
  availableBytes: [3, count],
  usageBytes: [4, count],
  rssBytes: [5, count],
  pageFaults: [6, count],
  majorPageFaults: [7, count],
});

const NetworkInterfaceUsage = message({
  name: [1, string],
  rxBytes: [2, count],
  rxErrors: [3, count],
  txBytes: [4, count],
  txErrors: [5, count],
});

/** Usage of one container. */
export const ContainerStats = message({
  attributes: [1, ContainerAttributes],
  cpu: [2, CpuUsage],
  memory: [3, MemoryUsage],
  writableLayer: [4, FilesystemUsage],
});
export interface ContainerStats extends Infer<typeof ContainerStats> {}

/** Usage of one sandbox with its containers. */
export const PodSandboxStats = message({
  attributes: [1, PodSandboxAttributes],
  linux: [
    2,
    message({
      cpu: [1, CpuUsage],
      memory: [2, MemoryUsage],
      network: [
        3,
        message({
          timestamp: [1, nanos],
          defaultInterface: [2, NetworkInterfaceUsage],
          interfaces: [3, list(NetworkInterfaceUsage)],
        }),
      ],
      process: [4, message({ timestamp: [1, nanos], processCount: [2, count] })],
      containers: [5, list(ContainerStats)],
    }),
  ],
});
export interface PodSandboxStats extends Infer<typeof PodSandboxStats> {}
