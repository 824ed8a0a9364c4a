import type { ContainerStats } from "@orchernetes/cri";
import type { FileSystemSpace } from "@orchernetes/host";
import type { MemoryUsage } from "../host/cgroup-usage.ts";
import type { FolderUsage } from "../host/file-system-usage.ts";
import type { InterfaceUsage } from "../host/network-usage.ts";
import type { CpuRates } from "./cpu-rates.ts";

/** A time as objects of the API have it: RFC 3339 in seconds. */
export const timeText = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");

/** A CPU counter and when it was 0. */
export interface CpuCounter {
  readonly key: string;
  readonly usageNanos: number | undefined;
  readonly sinceMs: number | undefined;
}

/** `cpu` of the statistics; undefined without a counter. */
export function cpuPart(rates: CpuRates, { key, usageNanos, sinceMs }: CpuCounter, nowMs: number): object | undefined {
  if (usageNanos === undefined) return undefined;
  const usageNanoCores = rates.rate(key, usageNanos, nowMs, sinceMs);
  return {
    time: timeText(nowMs),
    ...(usageNanoCores !== undefined && { usageNanoCores }),
    usageCoreNanoSeconds: usageNanos,
  };
}

/** The part of a group's memory that the statistics show. */
export type ShownMemory = Pick<
  MemoryUsage,
  "usageBytes" | "workingSetBytes" | "rssBytes" | "pageFaults" | "majorPageFaults"
>;

/** `memory` of the statistics. @param limitBytes undefined for a group without one, which has nothing available of its own */
export function memoryPart(memory: ShownMemory, limitBytes: number | undefined, nowMs: number): object {
  const { usageBytes, workingSetBytes, rssBytes, pageFaults, majorPageFaults } = memory;
  return {
    time: timeText(nowMs),
    ...(limitBytes !== undefined && { availableBytes: Math.max(0, limitBytes - workingSetBytes) }),
    ...{ usageBytes, workingSetBytes, rssBytes, pageFaults, majorPageFaults },
  };
}

/** What the runtime reports of a container's memory, in the form of a group's. */
export function runtimeMemory({
  memory,
}: ContainerStats): (ShownMemory & { readonly limitBytes: number | undefined }) | undefined {
  const workingSetBytes = memory?.workingSetBytes;
  if (memory === undefined || workingSetBytes === undefined) return undefined;
  const { usageBytes = workingSetBytes, rssBytes = 0, pageFaults = 0, majorPageFaults = 0, availableBytes } = memory;
  return {
    ...{ usageBytes, workingSetBytes, rssBytes, pageFaults, majorPageFaults },
    limitBytes: availableBytes ? availableBytes + workingSetBytes : undefined,
  };
}

/** `swap` of the statistics. */
export function swapPart(usedBytes: number, limitBytes: number | undefined, nowMs: number): object {
  return {
    time: timeText(nowMs),
    ...(limitBytes !== undefined && { swapAvailableBytes: Math.max(0, limitBytes - usedBytes) }),
    swapUsageBytes: usedBytes,
  };
}

/** `network` of the statistics: the default interface, and all of them. */
export function networkPart(
  interfaces: readonly InterfaceUsage[],
  defaultName: string | undefined,
  nowMs: number,
): object | undefined {
  if (interfaces.length === 0) return undefined;
  const shown = ({ name, rxBytes, rxErrors, txBytes, txErrors }: InterfaceUsage) => ({
    name,
    rxBytes,
    rxErrors,
    txBytes,
    txErrors,
  });
  const first = interfaces.find(({ name }) => name === "eth0") ?? interfaces.find(({ name }) => name === defaultName);
  return {
    time: timeText(nowMs),
    ...(first === undefined ? { name: "" } : shown(first)),
    interfaces: interfaces.map(shown),
  };
}

/** A file system, and the usage of it by a container, a pod or the images. */
export function storagePart(fs: FileSystemSpace | undefined, used: FolderUsage, nowMs: number): object {
  const { availableBytes, capacityBytes, inodesFree, inodes } = fs ?? {};
  return {
    time: timeText(nowMs),
    ...(fs && { availableBytes, capacityBytes }),
    usedBytes: used.usedBytes,
    ...(fs && { inodesFree, inodes }),
    inodesUsed: used.inodesUsed,
  };
}
