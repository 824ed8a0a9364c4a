import { availableMemory } from "../node/machine-info.ts";
import { processCounts } from "../stats/host/process-counts.ts";
import { podsGroup } from "../stats/pod-groups.ts";
import { type NodeStorage, nodeStorage } from "../stats/summary/node-storage.ts";
import type { UsageSource } from "../stats/usage-source.ts";
import type { EvictionSignal, SignalReading, SignalReadings } from "./signals.ts";

/** The result of a check of the node. */
export interface NodeReadings {
  readonly signals: SignalReadings;
  /** Whether images and containers are on another file system than volumes and logs. */
  readonly hasImageDisk: boolean;
  /** Monotonic time of the check, in milliseconds. */
  readonly atMs: number;
}

/** Reads all signals. A signal that cannot be read is left out: it must not cause evictions. */
export async function readSignals(source: UsageSource): Promise<NodeReadings> {
  const atMs = source.clock.monotonicMs();
  const storage = await nodeStorage(source);
  const read: readonly (readonly [EvictionSignal, SignalReading | undefined])[] = [
    ["memory.available", nodeMemory(source)],
    ["allocatableMemory.available", podsMemory(source)],
    ...diskSignals("nodefs", storage.node),
    ...diskSignals("imagefs", storage.image),
    ["pid.available", processes(source.proc)],
  ];
  return {
    signals: new Map(read.flatMap(([signal, reading]) => (reading === undefined ? [] : [[signal, reading]]))),
    hasImageDisk: await onAnotherDisk(source, storage),
    atMs,
  };
}

/** The memory of the machine minus the working set of the root group, which includes all processes. */
function nodeMemory({ groups, machine }: UsageSource): SignalReading {
  const capacity = machine.memoryBytes;
  const used = groups.memory("/")?.workingSetBytes;
  return { available: used === undefined ? availableMemory() : Math.max(0, capacity - used), capacity };
}

/** What is left of the limit of all pods together; undefined if they have no group. */
function podsMemory({ groups, machine, settings }: UsageSource): SignalReading | undefined {
  const group = podsGroup(groups, settings.cgroupRoot);
  const used = group === undefined ? undefined : groups.memory(group)?.workingSetBytes;
  if (group === undefined || used === undefined) return undefined;
  const available = Math.max(0, (groups.limits(group).memoryBytes ?? machine.memoryBytes) - used);
  return { available, capacity: available + used };
}

function diskSignals(
  name: "nodefs" | "imagefs",
  space: NodeStorage["node"],
): readonly (readonly [EvictionSignal, SignalReading | undefined])[] {
  if (space === undefined) return [];
  const { availableBytes, capacityBytes, inodes, inodesFree } = space;
  return [
    [`${name}.available`, { available: availableBytes, capacity: capacityBytes }],
    // A file system that creates inodes on demand reports none.
    [`${name}.inodesFree`, inodes > 0 ? { available: inodesFree, capacity: inodes } : undefined],
  ];
}

function processes(proc: string): SignalReading | undefined {
  const counts = processCounts(proc);
  if (counts?.current === undefined) return undefined;
  return { available: Math.max(0, counts.most - counts.current), capacity: counts.most };
}

async function onAnotherDisk({ fileSystems, rootDir }: UsageSource, { imagePath }: NodeStorage): Promise<boolean> {
  if (imagePath === rootDir) return false;
  const device = (path: string) => fileSystems.device(path).catch(() => undefined);
  const [own, ofImages] = await Promise.all([device(rootDir), device(imagePath)]);
  return own !== undefined && ofImages !== undefined && own !== ofImages;
}
