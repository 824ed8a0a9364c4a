import type { core } from "@orchernetes/api";

type Pod = core.Pod;

export function podCondition(pod: Pod, type: string): core.PodCondition | undefined {
  return pod.status?.conditions?.find((condition) => condition.type === type);
}

/** Whether the pod's Ready condition is True. */
export function isPodReady(pod: Pod): boolean {
  return podCondition(pod, "Ready")?.status === "True";
}

/** Whether all of the pod's containers have ended for good. */
export function isPodTerminal(pod: Pod): boolean {
  const phase = pod.status?.phase;
  return phase === "Succeeded" || phase === "Failed";
}

/** Whether the pod counts: neither ended nor on its way out. */
export function isPodActive(pod: Pod): boolean {
  return !isPodTerminal(pod) && pod.metadata.deletionTimestamp === undefined;
}

/** Milliseconds since 1970 at which the pod became ready; undefined when it is not. */
export function readySinceMs(pod: Pod): number | undefined {
  const condition = podCondition(pod, "Ready");
  if (condition?.status !== "True") return undefined;
  return condition.lastTransitionTime === undefined ? 0 : Date.parse(condition.lastTransitionTime);
}

/** Whether the pod has been ready for `minReadySeconds`. */
export function isPodAvailable(pod: Pod, minReadySeconds: number, nowMs: number): boolean {
  const since = readySinceMs(pod);
  if (since === undefined) return false;
  return minReadySeconds === 0 || (since > 0 && since + minReadySeconds * 1000 <= nowMs);
}
