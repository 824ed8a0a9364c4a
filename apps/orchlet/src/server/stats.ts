import { statfsSync } from "node:fs";
import type { ContainerStats, CriClient } from "@orchernetes/cri";
import { availableMemory, type MachineInfo } from "../node/machine-info.ts";
import { containerNameLabel, podNameLabel, podNamespaceLabel, podUidLabel } from "../runtime/labels.ts";

const timeOf = (nanos: bigint): string => new Date(Number(nanos / 1_000_000n)).toISOString();

/**
 * The response of `/stats/summary`: resource usage of the node and of every container on it. The metrics server reads
 * it.
 *
 * @param options.startTime RFC 3339
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
  const { stats } = await cri.runtime.listContainerStats({});
  const fs = statfsSync(rootDir);
  const available = availableMemory();
  const time = now.toISOString();
  const pods = new Map<string, { podRef: object; startTime: string; containers: object[] }>();
  for (const item of stats) {
    const labels = item.attributes?.labels ?? {};
    const uid = labels[podUidLabel];
    if (uid === undefined) continue;
    const pod = pods.get(uid) ?? {
      podRef: { name: labels[podNameLabel] ?? "", namespace: labels[podNamespaceLabel] ?? "", uid },
      startTime,
      containers: [],
    };
    pod.containers.push(containerSummary(item));
    pods.set(uid, pod);
  }
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
      memory: {
        time,
        availableBytes: available,
        usageBytes: machine.memoryBytes - available,
        workingSetBytes: machine.memoryBytes - available,
      },
      fs: storage,
      runtime: { imageFs: storage },
    },
    pods: [...pods.values()],
  };
}

/** The usage of one container. Parts that the runtime does not report are omitted. */
function containerSummary({ attributes, cpu, memory, writableLayer }: ContainerStats): object {
  return {
    name: attributes?.labels[containerNameLabel] ?? attributes?.metadata?.name ?? "",
    ...(cpu === undefined
      ? {}
      : {
          cpu: {
            time: timeOf(cpu.timestamp),
            usageNanoCores: cpu.usageNanoCores ?? 0,
            usageCoreNanoSeconds: cpu.usageCoreNanoSeconds ?? 0,
          },
        }),
    ...(memory === undefined
      ? {}
      : {
          memory: {
            time: timeOf(memory.timestamp),
            workingSetBytes: memory.workingSetBytes ?? 0,
            ...(memory.usageBytes ? { usageBytes: memory.usageBytes } : {}),
            ...(memory.rssBytes ? { rssBytes: memory.rssBytes } : {}),
          },
        }),
    ...(writableLayer === undefined
      ? {}
      : {
          rootfs: {
            time: timeOf(writableLayer.timestamp),
            usedBytes: writableLayer.usedBytes ?? 0,
            inodesUsed: writableLayer.inodesUsed ?? 0,
          },
        }),
  };
}

/**
 * The response of `/metrics/resource`, in the Prometheus text format. Times are in milliseconds, as the format
 * requires.
 */
export async function resourceMetrics(cri: CriClient): Promise<string> {
  const { stats } = await cri.runtime.listContainerStats({});
  const lines: Record<"cpu" | "memory", string[]> = { cpu: [], memory: [] };
  for (const { attributes, cpu, memory } of stats) {
    const labels = attributes?.labels ?? {};
    if (labels[podUidLabel] === undefined) continue;
    const text = `container="${labels[containerNameLabel] ?? ""}",namespace="${labels[podNamespaceLabel] ?? ""}",pod="${labels[podNameLabel] ?? ""}"`;
    if (cpu?.usageCoreNanoSeconds !== undefined)
      lines.cpu.push(
        `container_cpu_usage_seconds_total{${text}} ${cpu.usageCoreNanoSeconds / 1e9} ${cpu.timestamp / 1_000_000n}`,
      );
    if (memory?.workingSetBytes !== undefined)
      lines.memory.push(
        `container_memory_working_set_bytes{${text}} ${memory.workingSetBytes} ${memory.timestamp / 1_000_000n}`,
      );
  }
  return [
    "# HELP container_cpu_usage_seconds_total [STABLE] Cumulative cpu time consumed by the container in core-seconds",
    "# TYPE container_cpu_usage_seconds_total counter",
    ...lines.cpu,
    "# HELP container_memory_working_set_bytes [STABLE] Current working set of the container in bytes",
    "# TYPE container_memory_working_set_bytes gauge",
    ...lines.memory,
    "",
  ].join("\n");
}
