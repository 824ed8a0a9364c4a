import type { core } from "@orchernetes/api";
import { lostAtEnd } from "./container-status.ts";

type Statuses = readonly core.ContainerStatus[];

/**
 * The statuses of the containers of a pod that has terminated: of containers that should have run, none may look as if it waited. Those of a
 * pod that was initialized, and init containers up to the last one that was started, have failed for an unknown reason. Pure.
 *
 * @param shown the status of the pod before
 */
export function endedStatuses(
  spec: core.PodSpec,
  shown: core.PodStatus,
  statuses: { readonly init: Statuses; readonly regular: Statuses },
): { readonly init: Statuses; readonly regular: Statuses } {
  const { init, regular } = statuses;
  const lastStarted = init.findLastIndex(({ state, lastState }) => state.waiting === undefined || hasEnded(lastState));
  // The first init container has to be started in any case.
  const started = Math.max(0, lastStarted) + 1;
  return {
    init: init.map((status, i) => (i < started ? ended(status) : status)),
    regular: wasInitialized(spec, shown) ? regular.map(ended) : regular,
  };
}

const hasEnded = ({ terminated }: core.ContainerState): boolean => terminated !== undefined;

const ended = (status: core.ContainerStatus): core.ContainerStatus =>
  hasEnded(status.state) ? status : { ...status, state: { terminated: lostAtEnd } };

/** Whether regular containers of a pod were to run: it has no init containers, they have succeeded, or a regular one was started. */
function wasInitialized(
  spec: core.PodSpec,
  { containerStatuses = [], initContainerStatuses = [] }: core.PodStatus,
): boolean {
  if ((spec.initContainers ?? []).length === 0) return true;
  const wasStarted = ({ state, lastState }: core.ContainerStatus): boolean =>
    hasEnded(lastState) || state.running !== undefined || hasEnded(state);
  return containerStatuses.some(wasStarted) || initContainerStatuses.at(-1)?.state.terminated?.exitCode === 0;
}
