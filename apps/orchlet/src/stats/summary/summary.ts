import { systemEventLoop } from "@orchernetes/kernel";
import { readText } from "../host/host-files.ts";
import { defaultInterface, networkUsage } from "../host/network-usage.ts";
import { processCounts } from "../host/process-counts.ts";
import { runningPods } from "../running-pods.ts";
import { systemContainers, type UsageSource } from "../usage-source.ts";
import { CpuRates } from "./cpu-rates.ts";
import { type NodeStorage, nodeStorage } from "./node-storage.ts";
import { podSummary } from "./pod-summary.ts";
import { cpuPart, memoryPart, networkPart, storagePart, swapPart, timeText } from "./summary-parts.ts";

/** Reads the response of `/stats/summary`. @throws CriError */
export type SummaryReader = (onlyCpuAndMemory: boolean) => Promise<object>;

/**
 * Creates the reader of the statistics: of the node, of its own processes, and of every pod that runs, with its containers, network,
 * file systems and volumes. Figures of CPU and memory are those of control groups, or of the runtime where there is none. Rates are
 * those since the previous call.
 */
export function createSummaryReader(source: UsageSource): SummaryReader {
  const rates = new CpuRates();
  return async (onlyCpuAndMemory) => {
    const { cri, clock, groups, settings } = source;
    const nowMs = clock.nowMs();
    const pods = await runningPods(cri, groups, settings.cgroupRoot);
    const storage = onlyCpuAndMemory ? undefined : await nodeStorage(source);
    const node = nodeSummary(source, rates, storage, nowMs);
    const shown: object[] = [];
    for (const pod of pods) {
      shown.push(await podSummary(source, rates, pod, storage, nowMs));
      // Each pod costs tens of system calls.
      await systemEventLoop.nextTurn();
    }
    rates.keep(new Set(["/", ...systemContainers(source).map(({ group }) => group), ...pods.flatMap(keysOf)]));
    return { node, pods: shown };
  };
}

const keysOf = ({ ref, containers }: Awaited<ReturnType<typeof runningPods>>[number]): readonly string[] => [
  ref.uid,
  ...containers.map(({ id }) => id),
];

function nodeSummary(source: UsageSource, rates: CpuRates, storage: NodeStorage | undefined, nowMs: number): object {
  const { groups, machine, nodeName, proc, bootMs } = source;
  const group = (name: string, path: string, limitBytes: number | undefined) => {
    const cpu = groups.cpu(path);
    const memory = groups.memory(path);
    const sinceMs = path === "/" ? bootMs : groups.createdMs(path);
    return {
      name,
      startTime: timeText(sinceMs ?? bootMs),
      cpu: cpuPart(rates, { key: path, usageNanos: cpu?.usageNanos, sinceMs }, nowMs),
      memory: memory && memoryPart(memory, limitBytes, nowMs),
    };
  };
  const own = systemContainers(source).map(({ name, group: path }) =>
    group(
      name,
      path,
      name === "pods" ? (groups.limits(path).memoryBytes ?? machine.memoryBytes) : groups.limits(path).memoryBytes,
    ),
  );
  const { startTime, cpu, memory } = group("", "/", machine.memoryBytes);
  const whole = { nodeName, ...(own.length > 0 && { systemContainers: own }), startTime, cpu, memory };
  if (storage === undefined) return whole;
  const { node, image, imageUsed } = storage;
  return {
    ...whole,
    network: networkPart(networkUsage(proc, 1), defaultInterface(proc, 1), nowMs),
    fs: node && storagePart(node, node, nowMs),
    runtime: { imageFs: storagePart(image, imageUsed, nowMs) },
    rlimit: processLimits(proc, nowMs),
    ...(source.swap && { swap: nodeSwap(proc, nowMs) }),
  };
}

/** The number of processes and threads of the machine, and its limit. */
function processLimits(proc: string, nowMs: number): object | undefined {
  const counts = processCounts(proc);
  if (counts === undefined) return undefined;
  const { most, current } = counts;
  return { time: timeText(nowMs), maxpid: most, ...(current !== undefined && { curproc: current }) };
}

function nodeSwap(proc: string, nowMs: number): object | undefined {
  const text = readText(proc, "meminfo") ?? "";
  const bytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(text)?.[1] ?? 0) * 1024;
  const total = bytes("SwapTotal");
  return swapPart(total - bytes("SwapFree"), total, nowMs);
}
