import type { ContainerStats, CriClient } from "@orchernetes/cri";
import { containerNameLabel, podNameLabel, podNamespaceLabel, podUidLabel } from "../../runtime/labels.ts";

/** What a running container of a pod uses. */
export interface ContainerUsage {
  readonly pod: { readonly name: string; readonly namespace: string; readonly uid: string };
  readonly name: string;
  /** When the container was created, in nanoseconds since the epoch: its counters were 0 then. */
  readonly createdAt: bigint;
  readonly stats: ContainerStats;
}

/** The usage of every running container of a pod, sorted by namespace, pod and name. @throws CriError */
export async function containerUsages(cri: CriClient): Promise<readonly ContainerUsage[]> {
  const [{ stats }, { containers }] = await Promise.all([
    cri.runtime.listContainerStats({}),
    cri.runtime.listContainers({ filter: { state: { state: "CONTAINER_RUNNING" } } }),
  ]);
  const running = new Map(containers.map((container) => [container.id, container]));
  const found: ContainerUsage[] = [];
  for (const item of stats) {
    const container = running.get(item.attributes?.id ?? "");
    const labels = container?.labels ?? {};
    const uid = labels[podUidLabel];
    if (container === undefined || uid === undefined) continue;
    found.push({
      pod: { name: labels[podNameLabel] ?? "", namespace: labels[podNamespaceLabel] ?? "", uid },
      name: labels[containerNameLabel] ?? container.metadata?.name ?? "",
      createdAt: container.createdAt,
      stats: item,
    });
  }
  return found.sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
}

const sortKey = ({ pod, name }: ContainerUsage): string => `${pod.namespace}/${pod.name}/${pod.uid}/${name}`;

/** The containers by the uid of their pod, in the given order. */
export function byPod(usages: readonly ContainerUsage[]): ReadonlyMap<string, readonly ContainerUsage[]> {
  const pods = new Map<string, ContainerUsage[]>();
  for (const usage of usages) {
    const known = pods.get(usage.pod.uid);
    if (known === undefined) pods.set(usage.pod.uid, [usage]);
    else known.push(usage);
  }
  return pods;
}

/** What the containers of a pod use together. A part that one of them does not report is undefined. */
export interface PodUsage {
  /** Nanoseconds of CPU time, and when the latest counter was read. */
  readonly cpu: { readonly usageCoreNanoSeconds: number; readonly timestamp: bigint } | undefined;
  readonly memory: { readonly workingSetBytes: number; readonly timestamp: bigint } | undefined;
}

/** Adds up the usage of a pod's containers. */
export function podUsage(containers: readonly ContainerUsage[]): PodUsage {
  let cpu: { usageCoreNanoSeconds: number; timestamp: bigint } | undefined = { usageCoreNanoSeconds: 0, timestamp: 0n };
  let memory: { workingSetBytes: number; timestamp: bigint } | undefined = { workingSetBytes: 0, timestamp: 0n };
  for (const { stats } of containers) {
    const time = stats.cpu?.usageCoreNanoSeconds;
    const bytes = stats.memory?.workingSetBytes;
    cpu =
      time === undefined
        ? undefined
        : cpu && {
            usageCoreNanoSeconds: cpu.usageCoreNanoSeconds + time,
            timestamp: later(cpu.timestamp, stats.cpu?.timestamp),
          };
    memory =
      bytes === undefined
        ? undefined
        : memory && {
            workingSetBytes: memory.workingSetBytes + bytes,
            timestamp: later(memory.timestamp, stats.memory?.timestamp),
          };
  }
  return { cpu, memory };
}

const later = (a: bigint, b = 0n): bigint => (a > b ? a : b);
