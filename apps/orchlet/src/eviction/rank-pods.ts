import type { core } from "@orchernetes/api";
import { podPriority } from "@orchernetes/component-helpers";
import { type PodUse, sumOfDisks } from "../stats/summary/pod-use.ts";
import { localVolumes } from "../types/local-volumes.ts";
import { podRequestOf } from "../types/pod-request.ts";
import { type EvictionSignal, signalMeanings } from "./signals.ts";

/** A pod that may be evicted. */
export interface Candidate {
  readonly pod: core.Pod;
  /** Undefined if it is not known, for example while none of its containers runs. */
  readonly use: PodUse | undefined;
}

/**
 * The pods in the order in which they are evicted for a signal: first those whose use is not known, then those that use more than they
 * request; of these and of the others, lower priorities first, and of equal ones those that exceed their request most. Processes and inodes
 * cannot be requested; as in the original, those that use inodes are compared by how much their number is above the request for space. Pure. Source: "Pod selection for orchlet eviction" in Node-pressure Eviction.
 *
 * @param hasImageDisk whether images and containers are on another file system than volumes and logs: then each file system counts only what
 *   is on it
 */
export function rankPods(
  candidates: readonly Candidate[],
  signal: EvictionSignal,
  { hasImageDisk }: { readonly hasImageDisk: boolean },
): readonly Candidate[] {
  const { resource } = signalMeanings[signal];
  const parts = partsOf(signal, hasImageDisk);
  const ranked = candidates.map((candidate) => {
    const { pod, use } = candidate;
    const used = use === undefined ? 0 : usedOf(pod, use, resource, parts);
    return {
      candidate,
      isUnknown: use === undefined,
      isAbove: used > podRequestOf(pod.spec, resource),
      above: use && used - podRequestOf(pod.spec, resource === "inodes" ? "ephemeral-storage" : resource),
      priority: podPriority(pod.spec),
    };
  });
  const exceeds = ({ isUnknown, isAbove }: (typeof ranked)[number]): number =>
    resource === "pids" ? 0 : Number(isUnknown || isAbove);
  ranked.sort(
    (a, b) =>
      (resource === "pids" ? 0 : Number(b.isUnknown) - Number(a.isUnknown)) ||
      exceeds(b) - exceeds(a) ||
      a.priority - b.priority ||
      Number(b.isUnknown) - Number(a.isUnknown) ||
      (b.above ?? 0) - (a.above ?? 0),
  );
  return ranked.map(({ candidate }) => candidate);
}

/** The parts of a pod's use of disks that count for a signal. */
interface DiskParts {
  readonly rootfs: boolean;
  readonly logs: boolean;
  readonly volumes: boolean;
}

function partsOf(signal: EvictionSignal, hasImageDisk: boolean): DiskParts {
  if (!hasImageDisk) return { rootfs: true, logs: true, volumes: true };
  const isImageDisk = signal.startsWith("imagefs.");
  return { rootfs: isImageDisk, logs: !isImageDisk, volumes: !isImageDisk };
}

function usedOf(pod: core.Pod, use: PodUse, resource: string, parts: DiskParts): number {
  if (resource === "memory") return use.memoryBytes ?? 0;
  if (resource === "pids") return use.processes;
  const local = localVolumes(pod);
  const { usedBytes, inodesUsed } = sumOfDisks([
    ...use.containers.flatMap(({ rootfs, logs }) => [...(parts.rootfs ? [rootfs] : []), ...(parts.logs ? [logs] : [])]),
    ...[...use.volumes].flatMap(([name, used]) => (parts.volumes && local.has(name) ? [used] : [])),
  ]);
  return resource === "inodes" ? inodesUsed : usedBytes;
}
