import { statfsSync } from "node:fs";
import type { ContainerStats, CriClient } from "@orchernetes/cri";
import { availableMemory, type MachineInfo, usedCpuSeconds } from "../node/machine-info.ts";
import { byPod, type ContainerUsage, containerUsages, podUsage } from "./container-usage.ts";

const timeOf = (nanos: bigint): string => new Date(Number(nanos / 1_000_000n)).toISOString();

/**
 * The response of `/stats/summary`: resource usage of the node, and of every pod and running container on it.
 *
 * @param options.startTime RFC 3339
 * @throws CriError
 */
export async function statsSummary(options: {
  readonly cri: CriClient;
  readonly nodeName: string;
  readonly machine: MachineInfo;
  readonly rootDir: string;
  readonly startTime: string;
  readonly now: Date;
}): Promise<object> {
  const { cri, nodeName, machine, rootDir, startTime, now } = options;
  const usages = await containerUsages(cri);
  const fs = statfsSync(rootDir);
  const available = availableMemory();
  const time = now.toISOString();
  const storage = {
    time,
    availableBytes: fs.bavail * fs.bsize,
    capacityBytes: fs.blocks * fs.bsize,
    usedBytes: (fs.blocks - fs.bfree) * fs.bsize,
    inodesFree: fs.ffree,
    inodes: fs.files,
    inodesUsed: fs.files - fs.ffree,
  };
  return {
    node: {
      nodeName,
      startTime,
      cpu: { time, usageCoreNanoSeconds: Math.round(usedCpuSeconds() * 1e9) },
      memory: {
        time,
        availableBytes: available,
        usageBytes: machine.memoryBytes - available,
        workingSetBytes: machine.memoryBytes - available,
      },
      fs: storage,
      runtime: { imageFs: storage },
    },
    pods: [...byPod(usages).values()].map(podSummary),
  };
}

function podSummary(containers: readonly ContainerUsage[]): object {
  const { cpu, memory } = podUsage(containers);
  const [created = 0n] = containers.map(({ createdAt }) => createdAt).sort((a, b) => (a < b ? -1 : 1));
  return {
    podRef: containers[0]?.pod,
    startTime: timeOf(created),
    containers: containers.map(({ name, createdAt, stats }) => ({
      name,
      startTime: timeOf(createdAt),
      ...containerSummary(stats),
    })),
    ...(cpu && { cpu: { time: timeOf(cpu.timestamp), usageCoreNanoSeconds: cpu.usageCoreNanoSeconds } }),
    ...(memory && { memory: { time: timeOf(memory.timestamp), workingSetBytes: memory.workingSetBytes } }),
  };
}

/** The usage of one container. Parts that the runtime does not report are omitted. */
function containerSummary({ cpu, memory, writableLayer }: ContainerStats): object {
  return {
    ...(cpu && {
      cpu: {
        time: timeOf(cpu.timestamp),
        usageNanoCores: cpu.usageNanoCores ?? 0,
        usageCoreNanoSeconds: cpu.usageCoreNanoSeconds ?? 0,
      },
    }),
    ...(memory && {
      memory: {
        time: timeOf(memory.timestamp),
        workingSetBytes: memory.workingSetBytes ?? 0,
        ...(memory.usageBytes ? { usageBytes: memory.usageBytes } : {}),
        ...(memory.rssBytes ? { rssBytes: memory.rssBytes } : {}),
      },
    }),
    ...(writableLayer && {
      rootfs: {
        time: timeOf(writableLayer.timestamp),
        usedBytes: writableLayer.usedBytes ?? 0,
        inodesUsed: writableLayer.inodesUsed ?? 0,
      },
    }),
  };
}
