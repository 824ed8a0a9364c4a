import { join } from "node:path";
import { systemEventLoop } from "@orchernetes/kernel";
import { localVolumes } from "../../types/local-volumes.ts";
import { type FolderUsage, folderUsage } from "../host/file-system-usage.ts";
import { type RunningContainer, type RunningPod, runningPods } from "../running-pods.ts";
import type { UsageSource } from "../usage-source.ts";
import { runtimeMemory } from "./summary-parts.ts";

/** What a container uses of the node's disks. */
interface ContainerDisks {
  /** Its writable layer. */
  readonly rootfs: FolderUsage;
  readonly logs: FolderUsage;
}

/** What a container uses of the node. */
export interface ContainerUse extends ContainerDisks {
  readonly name: string;
  /** Working set; undefined if it is not known. */
  readonly memoryBytes: number | undefined;
}

/** What a pod uses of the node. */
export interface PodUse {
  /** Working set; undefined if it is not known. */
  readonly memoryBytes: number | undefined;
  /** Threads of all of its processes. */
  readonly processes: number;
  readonly containers: readonly ContainerUse[];
  /** Volumes that were measured, by their names. */
  readonly volumes: ReadonlyMap<string, FolderUsage>;
  /** Layers, logs and volumes on the node's own disks, together. */
  readonly ephemeral: FolderUsage;
}

/**
 * What the pods that run use, by uid.
 *
 * @param isAsked whether to read a pod; others cost nothing @default all pods
 * @throws CriError
 */
export async function podUses(
  source: UsageSource,
  isAsked: (uid: string) => boolean = () => true,
): Promise<ReadonlyMap<string, PodUse>> {
  const uses = new Map<string, PodUse>();
  for (const pod of await runningPods(source.cri, source.groups, source.settings.cgroupRoot)) {
    if (!isAsked(pod.ref.uid)) continue;
    uses.set(pod.ref.uid, await podUse(source, pod));
    // Each pod costs tens of system calls.
    await systemEventLoop.nextTurn();
  }
  return uses;
}

async function podUse(source: UsageSource, pod: RunningPod): Promise<PodUse> {
  const { groups } = source;
  const { ref, group } = pod;
  const containers: ContainerUse[] = [];
  for (const one of pod.containers) {
    const memoryBytes = workingSetOf(source, one);
    containers.push({ name: one.name, memoryBytes, ...(await containerDisks(source, ref, one)) });
  }
  const ofGroup = group === undefined ? undefined : groups.memory(group)?.workingSetBytes;
  const known = containers.flatMap(({ memoryBytes }) => memoryBytes ?? []);
  const volumes = volumesOf(source, ref.uid);
  const local = localVolumes(source.podOf(ref.uid));
  return {
    memoryBytes: ofGroup ?? (known.length === 0 ? undefined : known.reduce((sum, bytes) => sum + bytes, 0)),
    processes: group === undefined ? 0 : (groups.threads(group) ?? 0),
    containers,
    volumes,
    ephemeral: sumOfDisks([
      ...containers.flatMap(({ rootfs, logs }) => [rootfs, logs]),
      ...[...volumes].flatMap(([name, used]) => (local.has(name) ? [used] : [])),
    ]),
  };
}

function workingSetOf({ groups }: UsageSource, { group, stats }: RunningContainer): number | undefined {
  const ofGroup = group === undefined ? undefined : groups.memory(group)?.workingSetBytes;
  return ofGroup ?? (stats && runtimeMemory(stats)?.workingSetBytes);
}

function volumesOf({ volumes }: UsageSource, uid: string): ReadonlyMap<string, FolderUsage> {
  const measured = volumes?.(uid) ?? [];
  return new Map(
    measured.map(({ volumeName, usedBytes = 0, inodesUsed = 0 }) => [volumeName, { usedBytes, inodesUsed }]),
  );
}

/** Reads what a container has written: to its layer, as the runtime says, and to its logs. */
export async function containerDisks(
  { logs }: Pick<UsageSource, "logs">,
  ref: RunningPod["ref"],
  { name, stats }: RunningContainer,
): Promise<ContainerDisks> {
  const { usedBytes = 0, inodesUsed = 0 } = stats?.writableLayer ?? {};
  const nothing = { usedBytes: 0, inodesUsed: 0 };
  return {
    rootfs: { usedBytes, inodesUsed },
    logs: await folderUsage(join(logs(ref), name)).catch(() => nothing),
  };
}

/** The sum of uses of disks. */
export const sumOfDisks = (parts: readonly FolderUsage[]): FolderUsage => ({
  usedBytes: parts.reduce((total, { usedBytes }) => total + usedBytes, 0),
  inodesUsed: parts.reduce((total, { inodesUsed }) => total + inodesUsed, 0),
});
