import type { core } from "@orchernetes/api";
import type { Clock } from "@orchernetes/kernel";
import type { PodFailure } from "../types/pod-failure.ts";

/** How the agent terminates pods that were not deleted. */
export interface PodEnding {
  /** Ends a pod as failed; resolves when nothing of it runs. Undefined: the node does not have it. */
  readonly end: (uid: string, failure: PodFailure) => Promise<void> | undefined;
  readonly recordEvent: (
    pod: core.Pod,
    reason: string,
    message: string,
    annotations?: Readonly<Record<string, string>>,
  ) => void;
  readonly clock: Clock;
  /** Aborts when the agent stops. */
  readonly signal: AbortSignal;
}

/** How a pod has ended: in time; not within it; or the agent stops, or does not have the pod. */
export type PodEnd = "ended" | "late" | "gone";

/** Minimum time limit for a pod to terminate, in milliseconds; a pod with a grace period has one and a half times the period. */
const leastMs = 10_000;
const defaultGraceSeconds = 30;

/**
 * Terminates a pod as Failed, and waits until none of its containers runs or the time limit is over, which an event reports. Never
 * rejects.
 */
export async function endPod(
  { end, recordEvent, clock, signal }: PodEnding,
  pod: core.Pod,
  failure: PodFailure,
): Promise<PodEnd> {
  const ended = end(pod.metadata.uid ?? "", failure);
  if (ended === undefined) return "gone";
  const graceSeconds = failure.graceSeconds ?? pod.spec.terminationGracePeriodSeconds ?? defaultGraceSeconds;
  const stopWaiting = new AbortController();
  const late = clock
    .sleep(Math.max(graceSeconds * 1500, leastMs), AbortSignal.any([signal, stopWaiting.signal]))
    .then((): PodEnd => "late");
  const result = await Promise.race([ended.then((): PodEnd => "ended"), late]).catch((): PodEnd => "gone");
  stopWaiting.abort();
  late.catch(() => undefined);
  if (result === "late")
    recordEvent(pod, "ExceededGracePeriod", "Container runtime did not kill the pod within specified grace period.");
  return result;
}
