import type { core } from "@orchernetes/api";
import type { Clock, Logger } from "@orchernetes/kernel";
import type { PodFailure } from "../types/pod-failure.ts";
import type { PodAdmissionOptions } from "./pod-admission.ts";

const reason = "Preempting";
const message = "Preempted in order to admit critical pod";
const conditionMessage = "Pod was preempted by Orchlet to accommodate a critical pod.";

/** The shortest time that a victim has to end in, in milliseconds; one with a grace period has half as much again. */
const leastMs = 10_000;
const defaultGraceSeconds = 30;

export interface PreemptionOptions {
  /** Ends a pod as failed; resolves when nothing of it runs. Undefined: the node does not have it. */
  readonly end: (uid: string, failure: PodFailure) => Promise<void> | undefined;
  readonly recordEvent: (pod: core.Pod, reason: string, message: string) => void;
  /** Counts an eviction by the resource that is short. */
  readonly count: (resource: string) => void;
  /** Whether the victim's status has the condition DisruptionTarget. */
  readonly disruption: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Aborts when the agent stops. */
  readonly signal: AbortSignal;
}

/** Evicts pods for critical ones: an event, phase Failed with reason `Preempting`, and their own grace period. */
export function createPreemption(options: PreemptionOptions): PodAdmissionOptions["preempt"] {
  const { end, recordEvent, count, disruption, clock, logger, signal } = options;
  return async (victim, resource) => {
    // The pod that the room is for is not started any more.
    if (signal.aborted) return;
    const { name, namespace, uid = "" } = victim.metadata;
    logger.info("Evicting a pod to admit a critical one", { pod: `${namespace}/${name}`, resource });
    recordEvent(victim, reason, message);
    const ended = end(uid, { reason, message, disruption, disruptionMessage: conditionMessage });
    if (ended === undefined) return;
    const graceMs = (victim.spec.terminationGracePeriodSeconds ?? defaultGraceSeconds) * 1000;
    const stopWaiting = new AbortController();
    const late = clock
      .sleep(Math.max(graceMs * 1.5, leastMs), AbortSignal.any([signal, stopWaiting.signal]))
      .then(() => "late" as const);
    const result = await Promise.race([ended.then(() => "ended" as const), late]).catch(() => "stopped" as const);
    stopWaiting.abort();
    late.catch(() => undefined);
    if (result === "ended") count(resource);
    if (result === "late")
      recordEvent(
        victim,
        "ExceededGracePeriod",
        "Container runtime did not kill the pod within specified grace period.",
      );
  };
}
