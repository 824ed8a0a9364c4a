import type { core } from "@orchernetes/api";

/**
 * The phase of a pod from the states of its containers. Pure. Source: "Pod phase" in Pod Lifecycle.
 *
 * @param over the pod was terminated and all of its containers have stopped, so its phase must be final
 */
export function phaseOf(
  spec: core.PodSpec,
  init: readonly core.ContainerStatus[],
  regular: readonly core.ContainerStatus[],
  over: boolean,
): NonNullable<core.PodStatus["phase"]> {
  const { restartPolicy = "Always" } = spec;
  let pendingInit = 0;
  let failedInit = 0;
  for (const { state, lastState } of init) {
    const ended = state.running === undefined ? (state.terminated ?? lastState.terminated) : undefined;
    if (ended === undefined) pendingInit += 1;
    else if (ended.exitCode !== 0) failedInit += 1;
  }
  if (failedInit > 0 && restartPolicy === "Never") return "Failed";
  // A container that waits for its restart counts as stopped, so a crashing pod stays Running.
  const counts = { running: 0, waiting: 0, stopped: 0, succeeded: 0 };
  for (const { state, lastState } of regular) {
    if (state.running !== undefined) counts.running += 1;
    else if (state.terminated !== undefined) {
      counts.stopped += 1;
      if (state.terminated.exitCode === 0) counts.succeeded += 1;
    } else if (lastState.terminated !== undefined) counts.stopped += 1;
    else counts.waiting += 1;
  }
  if (over) return counts.succeeded === regular.length && pendingInit === 0 ? "Succeeded" : "Failed";
  if (pendingInit > 0 || counts.waiting > 0) return "Pending";
  if (counts.running > 0) return "Running";
  if (counts.stopped === 0) return "Pending";
  if (restartPolicy === "Always") return "Running";
  if (counts.succeeded === counts.stopped) return "Succeeded";
  return restartPolicy === "Never" ? "Failed" : "Running";
}
