import { localVolumes } from "../../types/local-volumes.ts";
import type { FolderUsage } from "../host/file-system-usage.ts";
import { defaultInterface, networkUsage } from "../host/network-usage.ts";
import type { RunningContainer, RunningPod } from "../running-pods.ts";
import type { PodVolumeUsage, UsageSource } from "../usage-source.ts";
import type { CpuRates } from "./cpu-rates.ts";
import type { NodeStorage } from "./node-storage.ts";
import { containerDisks, sumOfDisks } from "./pod-use.ts";
import { cpuPart, memoryPart, networkPart, runtimeMemory, storagePart, swapPart, timeText } from "./summary-parts.ts";

/** The statistics of a pod. @param storage undefined: only CPU and memory */
export async function podSummary(
  source: UsageSource,
  rates: CpuRates,
  pod: RunningPod,
  storage: NodeStorage | undefined,
  nowMs: number,
): Promise<object> {
  const { ref, createdMs, containers } = pod;
  const parts = await Promise.all(containers.map((one) => containerSummary(source, rates, pod, one, storage, nowMs)));
  const whole = {
    podRef: ref,
    startTime: timeText(createdMs),
    containers: parts.map(({ shown }) => shown),
    ...podFigures(source, rates, pod, nowMs),
  };
  if (storage === undefined) return whole;
  const volumes = source.volumes?.(ref.uid) ?? [];
  const ephemeral = localVolumes(source.podOf(ref.uid));
  const own = volumes.filter(({ volumeName }) => ephemeral.has(volumeName));
  const used = sumOfDisks([
    ...parts.flatMap(({ disks }) => disks),
    ...own.map(({ usedBytes = 0, inodesUsed = 0 }) => ({ usedBytes, inodesUsed })),
  ]);
  return {
    ...whole,
    network: podNetwork(source, pod, nowMs),
    ...(volumes.length > 0 && { volume: volumes.map(volumePart) }),
    "ephemeral-storage": storagePart(storage.node, used, nowMs),
    ...(pod.group !== undefined && { process_stats: { process_count: processCount(source, containers) } }),
  };
}

/** The processes of the containers, without those in groups that they have made; the pod's own group has none. */
const processCount = ({ groups }: UsageSource, containers: RunningPod["containers"]): number =>
  containers.reduce((sum, { group }) => sum + (group === undefined ? 0 : groups.processes(group).length), 0);

function volumePart(volume: PodVolumeUsage): object {
  const { volumeName, time, health, pvcRef } = volume;
  const { availableBytes, capacityBytes, usedBytes, inodesFree, inodes, inodesUsed } = volume;
  return {
    time: timeText(time.getTime()),
    ...{ availableBytes, capacityBytes, usedBytes, inodesFree, inodes, inodesUsed },
    name: volumeName,
    ...(pvcRef && { pvcRef: { name: pvcRef.name, namespace: pvcRef.namespace } }),
    ...(health && { volumeHealthStats: { abnormal: health.abnormal } }),
  };
}

/** CPU and memory of the pod's group, or the sums of its containers. */
function podFigures(source: UsageSource, rates: CpuRates, pod: RunningPod, nowMs: number): object {
  const { groups, swap } = source;
  const { ref, group, containers, createdMs: sinceMs } = pod;
  const cpu = group === undefined ? undefined : groups.cpu(group);
  const memory = group === undefined ? undefined : groups.memory(group);
  const limits = group === undefined ? undefined : groups.limits(group);
  const all = containers.map((one) => figuresOf(source, one));
  const total = (values: readonly (number | undefined)[]) =>
    values.includes(undefined) ? undefined : values.reduce<number>((result, value) => result + (value ?? 0), 0);
  const usageNanos = cpu?.usageNanos ?? total(all.map((one) => one.usageNanos));
  const workingSetBytes = total(all.map((one) => one.memory?.workingSetBytes));
  const summed = workingSetBytes === undefined ? undefined : { time: timeText(nowMs), workingSetBytes };
  return {
    cpu: cpuPart(rates, { key: ref.uid, usageNanos, sinceMs }, nowMs),
    memory: memory === undefined ? summed : memoryPart(memory, limits?.memoryBytes, nowMs),
    ...(swap && memory !== undefined && { swap: swapPart(memory.swapBytes, limits?.memorySwapBytes, nowMs) }),
  };
}

/** CPU time and memory of a container: of its group, else what the runtime reports. */
function figuresOf({ groups }: Pick<UsageSource, "groups">, { group, stats }: RunningContainer) {
  const memory = group === undefined ? undefined : groups.memory(group);
  const reported = stats && runtimeMemory(stats);
  return {
    usageNanos: (group === undefined ? undefined : groups.cpu(group)?.usageNanos) ?? stats?.cpu?.usageCoreNanoSeconds,
    memory: memory ?? reported,
    swapBytes: memory?.swapBytes,
    limitBytes: group === undefined || memory === undefined ? reported?.limitBytes : groups.limits(group).memoryBytes,
  };
}

function podNetwork(
  { groups, proc }: UsageSource,
  { group, sandboxGroup }: RunningPod,
  nowMs: number,
): object | undefined {
  const pid = [sandboxGroup, group].flatMap((path) => (path === undefined ? [] : groups.processes(path)))[0];
  return pid === undefined ? undefined : networkPart(networkUsage(proc, pid), defaultInterface(proc, pid), nowMs);
}

async function containerSummary(
  source: UsageSource,
  rates: CpuRates,
  { ref }: RunningPod,
  container: RunningContainer,
  storage: NodeStorage | undefined,
  nowMs: number,
): Promise<{ readonly shown: object; readonly disks: readonly FolderUsage[] }> {
  const { id, name, createdMs, group } = container;
  const { usageNanos, memory, swapBytes, limitBytes } = figuresOf(source, container);
  const shown = {
    name,
    startTime: timeText(createdMs),
    cpu: cpuPart(rates, { key: id, usageNanos, sinceMs: createdMs }, nowMs),
    memory: memory && memoryPart(memory, limitBytes, nowMs),
  };
  if (storage === undefined) return { shown, disks: [] };
  const { rootfs, logs } = await containerDisks(source, ref, container);
  const swapLimit = group === undefined ? undefined : source.groups.limits(group).memorySwapBytes;
  return {
    shown: {
      ...shown,
      rootfs: storagePart(storage.image, rootfs, nowMs),
      logs: storagePart(storage.node, logs, nowMs),
      ...(source.swap && swapBytes !== undefined && { swap: swapPart(swapBytes, swapLimit, nowMs) }),
    },
    disks: [rootfs, logs],
  };
}
