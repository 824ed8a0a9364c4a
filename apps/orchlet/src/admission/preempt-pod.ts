import type { Logger } from "@orchernetes/kernel";
import { endPod, type PodEnding } from "../util/end-pod.ts";
import type { PodAdmissionOptions } from "./pod-admission.ts";

const reason = "Preempting";
const message = "Preempted in order to admit critical pod";
const conditionMessage = "Pod was preempted by Orchlet to accommodate a critical pod.";

/** The options of {@link createPreemption}. */
export interface PreemptionOptions extends PodEnding {
  /** Counts an eviction by the resource that is short. */
  readonly count: (resource: string) => void;
  /** Whether the victim's status has the condition DisruptionTarget. */
  readonly disruption: boolean;
  readonly logger: Logger;
}

/** Evicts pods for critical ones: an event, phase Failed with reason `Preempting`, and their own grace period. */
export function createPreemption(options: PreemptionOptions): PodAdmissionOptions["preempt"] {
  const { recordEvent, count, disruption, logger, signal } = options;
  return async (victim, resource) => {
    // Aborts when the preemptor is not started any more.
    if (signal.aborted) return;
    const { name, namespace } = victim.metadata;
    logger.info("Evicting a pod to admit a critical one", { pod: `${namespace}/${name}`, resource });
    recordEvent(victim, reason, message);
    const failure = { reason, message, disruption, disruptionMessage: conditionMessage };
    if ((await endPod(options, victim, failure)) === "ended") count(resource);
  };
}
