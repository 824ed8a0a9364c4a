import type { core } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import { isPodReady } from "@orchernetes/component-helpers";

/**
 * Whether a pod has what it was made for: it is ready, or has ended if that is its purpose.
 *
 * A killed containerd may forget how a container ended: it deletes the task first, and records the exit code after that. It then reports
 * code 255 with reason `Unknown`, and the pod has failed, as with every other agent.
 *
 * @param runtimeWasKilled whether the runtime was killed while the pod existed
 */
export function isFulfilled(pod: Stored<core.Pod>, runtimeWasKilled: boolean): boolean {
  if (isPodReady(pod)) return true;
  if (pod.spec.restartPolicy !== "Never") return false;
  return pod.status.phase === "Succeeded" || (runtimeWasKilled && hasForgottenEnd(pod));
}

/** Whether each container of a pod has run and ended with code 0, or in a way that the runtime has forgotten. */
function hasForgottenEnd({ status: { containerStatuses = [] } }: Stored<core.Pod>): boolean {
  const ends = containerStatuses.map(({ state }) => state?.terminated);
  return ends.length > 0 && ends.every((end) => end?.exitCode === 0 || (end?.exitCode === 255 && isForgotten(end)));
}

/** A container that never started has the start of the epoch as its start. */
const isForgotten = ({ reason, startedAt = "" }: core.ContainerStateTerminated): boolean =>
  reason === "Unknown" && Date.parse(startedAt) > 0;
