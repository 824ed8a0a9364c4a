import type { core } from "@orchernetes/api";
import { Quantity, valueOf as wholeValueOf } from "@orchernetes/apimachinery";
import { podPriority, podRequests, podRequestUnits } from "@orchernetes/component-helpers";
import type { PodFailure } from "../types/pod-failure.ts";
import { isCriticalPod } from "../types/refusal.ts";
import { thresholdBytes } from "./capacity.ts";
import type { SignalReading } from "./observe-node.ts";

/** A pod that may be evicted, with the memory it uses. */
export interface EvictionCandidate {
  readonly pod: core.Pod;
  readonly memoryBytes: number;
}

const resources: Readonly<Record<string, string>> = {
  "memory.available": "memory",
  "nodefs.available": "ephemeral-storage",
  "nodefs.inodesFree": "inodes",
  "imagefs.available": "ephemeral-storage",
  "pid.available": "pids",
};

/** Signals that are counts rather than bytes. */
const counted: ReadonlySet<string> = new Set(["nodefs.inodesFree", "pid.available"]);

/**
 * What a pod asks for of a resource: thousandths of CPU, otherwise whole units; 1 of `pods`. Overhead counts for a pod whose
 * containers ask for some.
 */
export function podRequestOf(spec: core.PodSpec, resource: string): number {
  if (resource === "pods") return 1;
  const ofContainers = podRequests(spec, { overhead: false }).get(resource);
  if (ofContainers === undefined || ofContainers.isZero) return 0;
  return podRequestUnits(spec).get(resource) ?? 0;
}

/** The pod to evict first: one that uses more than it asked for, of low priority, and furthest above its request. Pure. */
export function pickVictim(candidates: readonly EvictionCandidate[]): core.Pod | undefined {
  const ranked = candidates
    .filter(({ pod }) => !isCriticalPod(pod))
    .map(({ pod, memoryBytes }) => {
      return { pod, above: memoryBytes - podRequestOf(pod.spec, "memory"), priority: podPriority(pod.spec) };
    })
    .sort((a, b) => Number(b.above > 0) - Number(a.above > 0) || a.priority - b.priority || b.above - a.above);
  return ranked[0]?.pod;
}

/**
 * Message of an eviction: the scarce resource, and the containers that used more memory than they requested.
 *
 * @param threshold as it is configured: an amount, or a share such as `10%`
 * @param usedBytes working sets of its containers by name
 */
export function evictionOf(
  { pod, usedBytes }: { readonly pod: core.Pod; readonly usedBytes: ReadonlyMap<string, number> },
  { signal, available, capacity }: SignalReading,
  threshold: string,
  { disruption }: { readonly disruption: boolean },
): PodFailure {
  const resource = resources[signal] ?? signal;
  const format = counted.has(signal) ? "DecimalSI" : "BinarySI";
  const amount = (value: number) => Quantity.of(Math.floor(value), format).toString();
  const limit = threshold.endsWith("%") ? amount(thresholdBytes(threshold, capacity)) : threshold;
  const greedy = pod.spec.containers.flatMap(({ name, resources: { requests } = {} }) => {
    const used = usedBytes.get(name) ?? 0;
    const request = requests?.memory ?? "0";
    if (resource !== "memory" || used <= wholeValueOf(request)) return [];
    return `Container ${name} was using ${amount(used)}, request is ${request}, has larger consumption of ${resource}. `;
  });
  return {
    reason: "Evicted",
    message: `The node was low on resource: ${resource}. Threshold quantity: ${limit}, available: ${amount(available)}. ${greedy.join("")}`,
    graceSeconds: 0,
    disruption,
  };
}

/** Signals whose pressure is to be shown: those crossed now, and those that were a short while ago. */
export function createPressureMemory(
  transitionMs: number,
): (crossed: readonly SignalReading[], nowMs: number) => readonly SignalReading[] {
  const last = new Map<string, { readonly reading: SignalReading; readonly atMs: number }>();
  return (crossed, nowMs) => {
    for (const reading of crossed) last.set(reading.signal, { reading, atMs: nowMs });
    for (const [signal, { atMs }] of last) if (nowMs - atMs > transitionMs) last.delete(signal);
    return [...last.values()].map(({ reading }) => reading);
  };
}
