import { core } from "@orchernetes/api";
import { podPriority } from "@orchernetes/component-helpers";
import { isCriticalPod } from "../types/pod-identity.ts";
import { podRequestOf } from "../types/pod-request.ts";
import type { Shortage } from "./node-fit.ts";

/** The pods to evict, in this order; or what would still be missing without all pods that may be preempted. */
export type VictimChoice =
  | { readonly type: "Enough"; readonly victims: readonly core.Pod[] }
  | { readonly type: "TooLittle"; readonly missing: readonly Shortage[] };

/**
 * Chooses the pods to evict so that a critical pod fits: as few Guaranteed pods as possible, then as few Burstable, then as few
 * BestEffort pods. Within a class, the pod that covers the largest share of the shortage comes first; of equal ones, that with
 * smaller requests. Pure.
 *
 * @param running pods of the node that use resources
 */
export function chooseVictims(
  preemptor: core.Pod,
  running: readonly core.Pod[],
  shortages: readonly Shortage[],
): VictimChoice {
  const preemptable = running.filter((pod) => mayPreempt(preemptor, pod));
  const missing = left(shortages, preemptable);
  if (missing.length > 0) return { type: "TooLittle", missing };
  const ofClass = (qos: string) => preemptable.filter(({ spec }) => core.podQosClass(spec) === qos);
  const [bestEffort, burstable, guaranteed] = [ofClass("BestEffort"), ofClass("Burstable"), ofClass("Guaranteed")];
  const fromGuaranteed = nearest(guaranteed, left(shortages, [...bestEffort, ...burstable]));
  const fromBurstable = nearest(burstable, left(shortages, [...bestEffort, ...fromGuaranteed]));
  const fromBestEffort = nearest(bestEffort, left(shortages, [...fromBurstable, ...fromGuaranteed]));
  return { type: "Enough", victims: [...fromBestEffort, ...fromBurstable, ...fromGuaranteed] };
}

/** What is missing, as messages show it. */
export const shortageText = (shortages: readonly Shortage[]): string =>
  `[${shortages.map(({ resource, missing }) => `(res: ${resource}, q: ${missing}), `).join("")}]`;

function mayPreempt(preemptor: core.Pod, pod: core.Pod): boolean {
  if (isCriticalPod(preemptor) && !isCriticalPod(pod)) return true;
  // A pod without a priority neither preempts others by priority nor is preempted by it.
  if (preemptor.spec.priority === undefined || pod.spec.priority === undefined) return false;
  return podPriority(preemptor.spec) > podPriority(pod.spec);
}

/** Pods of one class that cover the shortages; all of them if they do not. */
function nearest(pods: readonly core.Pod[], shortages: readonly Shortage[]): readonly core.Pod[] {
  const candidates = [...pods];
  const chosen: core.Pod[] = [];
  for (let missing = shortages; missing.length > 0; ) {
    const best = candidates.reduce<Candidate | undefined>((found, pod) => {
      const distance = distanceOf(pod, missing);
      const isBetter =
        found === undefined ||
        distance < found.distance ||
        (distance === found.distance && !asksForMore(pod, found.pod));
      return isBetter ? { pod, distance } : found;
    }, undefined);
    if (best === undefined) break;
    chosen.push(best.pod);
    missing = left(missing, [best.pod]);
    // The last pod takes its place: the order decides between equal pods in the next round.
    const last = candidates.pop();
    const place = candidates.indexOf(best.pod);
    if (place !== -1 && last !== undefined) candidates[place] = last;
  }
  return chosen;
}

interface Candidate {
  readonly pod: core.Pod;
  readonly distance: number;
}

/** How far a pod's requests are from covering the shortages: 0 if they do; every resource has the same weight. */
function distanceOf({ spec }: core.Pod, shortages: readonly Shortage[]): number {
  return shortages.reduce((sum, { resource, missing }) => {
    const rest = missing - podRequestOf(spec, resource);
    return rest > 0 ? sum + (rest / missing) ** 2 : sum;
  }, 0);
}

/** The shortages that are left when these pods are gone. */
const left = (shortages: readonly Shortage[], pods: readonly core.Pod[]): readonly Shortage[] =>
  shortages.flatMap(({ resource, missing }) => {
    const rest = pods.reduce((sum, { spec }) => sum - podRequestOf(spec, resource), missing);
    return rest > 0 ? [{ resource, missing: rest }] : [];
  });

/** By memory, then by CPU. */
function asksForMore(pod: core.Pod, other: core.Pod): boolean {
  for (const resource of ["memory", "cpu"]) {
    const difference = podRequestOf(pod.spec, resource) - podRequestOf(other.spec, resource);
    if (difference !== 0) return difference > 0;
  }
  return false;
}
