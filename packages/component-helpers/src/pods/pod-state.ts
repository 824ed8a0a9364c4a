import type { core } from "@orchernetes/api";
import { findCondition, isConditionTrue } from "../conditions/conditions.ts";

/** A pod's condition of a type; undefined if its status has none. */
export function podCondition({ status }: core.Pod, type: string): core.PodCondition | undefined {
  return findCondition(status?.conditions, type);
}

/** Whether the pod's Ready condition is True. */
export function isPodReady({ status }: core.Pod): boolean {
  return isConditionTrue(status?.conditions, "Ready");
}

/** Whether the pod's phase is terminal: all of its containers have ended and none is restarted. */
export function isPodTerminal({ status }: { readonly status?: core.PodStatus | undefined }): boolean {
  return status?.phase === "Succeeded" || status?.phase === "Failed";
}

/** Whether the pod counts as a replica of its owner: it has not terminated and is not being deleted. */
export function isPodActive(pod: core.Pod): boolean {
  return !isPodTerminal(pod) && pod.metadata.deletionTimestamp === undefined;
}

/**
 * Time at which the pod became ready, in milliseconds since the epoch; 0 if it is unknown, undefined if the pod is not
 * ready.
 */
export function readySinceMs(pod: core.Pod): number | undefined {
  const condition = podCondition(pod, "Ready");
  if (condition?.status !== "True") return undefined;
  return condition.lastTransitionTime === undefined ? 0 : Date.parse(condition.lastTransitionTime);
}

/** Whether the pod has been ready for at least `minReadySeconds`. */
export function isPodAvailable(pod: core.Pod, minReadySeconds: number, nowMs: number): boolean {
  const since = readySinceMs(pod);
  if (since === undefined) return false;
  return minReadySeconds === 0 || (since > 0 && since + minReadySeconds * 1000 <= nowMs);
}
