import type { core } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import { isPodReady } from "@orchernetes/component-helpers";

/**
 * Whether a pod has what it was made for: it is ready, or has ended if that is its purpose.
 *
 * When a container ends, containerd first deletes its task and then records the exit code. If it is killed in between, it reports code 255
 * with reason `Unknown`, and the pod becomes Failed, with any node agent.
 *
 * @param runtimeWasKilled whether the runtime was killed while the pod existed
 */
export function isFulfilled(pod: Stored<core.Pod>, runtimeWasKilled: boolean): boolean {
  if (isPodReady(pod)) return true;
  if (pod.spec.restartPolicy !== "Never") return false;
  return pod.status.phase === "Succeeded" || (runtimeWasKilled && hasLostExitCode(pod));
}

/** Whether each container of a pod has ended with code 0, or has run and its exit code is lost. */
function hasLostExitCode({ status: { containerStatuses = [] } }: Stored<core.Pod>): boolean {
  const ends = containerStatuses.map(({ state }) => state?.terminated);
  return ends.length > 0 && ends.every((end) => end?.exitCode === 0 || (end?.exitCode === 255 && isLost(end)));
}

/** A container that never ran has the start of the epoch as `startedAt`. */
const isLost = ({ reason, startedAt = "" }: core.ContainerStateTerminated): boolean =>
  reason === "Unknown" && Date.parse(startedAt) > 0;
