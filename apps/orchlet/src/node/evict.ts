import type { core } from "@orchernetes/api";
import { Quantity, valueOf as wholeValueOf } from "@orchernetes/apimachinery";
import { podPriority, podRequests, podRequestUnits } from "@orchernetes/component-helpers";
import type { PodFailure } from "../types/pod-failure.ts";
import { isCriticalPod } from "../types/pod-identity.ts";
import { thresholdBytes } from "./capacity.ts";
import type { SignalReading } from "./observe-node.ts";

/** A pod that may be evicted, with its memory usage (working set). */
export interface EvictionCandidate {
  readonly pod: core.Pod;
  readonly memoryBytes: number;
}

/** The resource that each eviction signal measures, as messages name it. */
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
 * The request of a pod for a resource, in the unit of the resource (CPU in thousandths); 1 for `pods`. Overhead counts
 * only if the containers request the resource, as in the original.
 */
export function podRequestOf(spec: core.PodSpec, resource: string): number {
  if (resource === "pods") return 1;
  const ofContainers = podRequests(spec, { overhead: false }).get(resource);
  if (ofContainers === undefined || ofContainers.isZero) return 0;
  return podRequestUnits(spec).get(resource) ?? 0;
}

/**
 * The pod to evict first. Pods are ranked by whether their usage exceeds their request, then by priority, then by how
 * far it exceeds the request. Critical pods are never evicted. Pure. Source: "Pod selection for orchlet eviction" in
 * Node-pressure Eviction.
 *
 * @returns undefined if no pod may be evicted
 */
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
 * The failure of an evicted pod. Its message, which is the original's, names the scarce resource and the containers
 * that use more memory than they requested.
 *
 * @param threshold as configured: a quantity, or a percentage such as `10%`
 * @param usedBytes working sets of the pod's containers by name
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
  const excesses = pod.spec.containers.flatMap(({ name, resources: { requests } = {} }) => {
    const used = usedBytes.get(name) ?? 0;
    const request = requests?.memory ?? "0";
    if (resource !== "memory" || used <= wholeValueOf(request)) return [];
    return `Container ${name} was using ${amount(used)}, request is ${request}, has larger consumption of ${resource}. `;
  });
  return {
    reason: "Evicted",
    message: `The node was low on resource: ${resource}. Threshold quantity: ${limit}, available: ${amount(available)}. ${excesses.join("")}`,
    graceSeconds: 0,
    disruption,
  };
}

/**
 * Keeps a signal under pressure for some time after it was last below its threshold
 * (`evictionPressureTransitionPeriod`). Otherwise the node's conditions would oscillate, and pods would be scheduled to
 * it between two evictions.
 */
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
