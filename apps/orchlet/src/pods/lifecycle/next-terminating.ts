import type { core } from "@orchernetes/api";
import { assertNever, messageOf } from "@orchernetes/kernel";
import type { PodRuntime } from "../../runtime/pod-runtime.ts";
import type { PodFailure } from "../../types/pod-failure.ts";
import { isStaticPod, type PodIdentity } from "../../types/pod-identity.ts";
import { computePodActions } from "./compute-pod-actions.ts";
import type { Now, StartingPod, SyncingPod, TerminatedPod, TerminatingPod } from "./pod-state.ts";
import { endRound, failRound, unexpected, wake, withStatus } from "./rounds.ts";
import { shorterGrace, terminationOf } from "./termination.ts";
import type { PodChange, PodObservation, PodWorkerAction, Transition } from "./transition.ts";

/**
 * The terminating state of a pod; undefined if the pod has no reason to terminate. Pure. The caller interrupts an
 * effect in flight: the new state waits for its result.
 */
export function terminating(
  { pod, ...state }: StartingPod | SyncingPod,
  { removed, failure }: { readonly removed: boolean; readonly failure: PodFailure | undefined },
): TerminatingPod | undefined {
  const termination = terminationOf({ pod, removed, failure, status: state.status });
  if (termination === undefined) return undefined;
  const { identity, policy, startTime, status, waiting, snapshot, retryMs, woken } = state;
  return {
    type: "Terminating",
    ...{ identity, policy, startTime, status, waiting, snapshot, retryMs, woken },
    pod,
    removed,
    failure,
    ...termination,
    restart: undefined,
    work: { type: state.work.type === "Idle" ? "Idle" : "Interrupted" },
  };
}

/** The next state of a pod whose containers are being killed. */
export function nextTerminating(state: TerminatingPod, observation: PodObservation, now: Now): Transition {
  switch (observation.type) {
    case "Updated":
    case "Removed":
    case "Failed":
    case "Woken": {
      const next = changed(state, observation);
      const sooner = next.graceSeconds < state.graceSeconds;
      if (!sooner || state.work.type !== "KillPod") return wake(next);
      return { state: { ...next, work: { type: "Interrupted" } }, actions: [{ type: "Interrupt" }] };
    }
    case "Due":
      return beginTerminating(state, []);
    default:
      break;
  }
  // The result of the interrupted effect does not matter: the termination continues with a new round.
  if (state.work.type === "Interrupted") return endRound({ ...state, woken: true }, 0);
  if (observation.type === "EffectFailed")
    return failRound(
      state,
      observation.error,
      state.work.type === "KillPod" ? recordFailedKill(state, observation.error) : [],
    );
  switch (state.work.type) {
    case "ReadRuntime":
    case "ReadResult": {
      if (observation.type !== "RuntimeRead") break;
      const seen = { ...state, snapshot: observation.snapshot };
      if (!isAlive(observation.snapshot.runtime)) return terminated(seen, now);
      const shown = withStatus(seen, now);
      if (state.work.type === "ReadRuntime") return continueTerminating(shown.state, now, shown.actions);
      // The kill succeeded, but a container is still reported as running. A change in the runtime causes the next
      // round.
      return endRound(shown.state, state.policy.syncMs, shown.actions);
    }
    case "KillPod":
      if (observation.type === "Done") return read(state, "ReadResult", []);
      break;
    case "Idle":
      break;
    default:
      return assertNever(state.work);
  }
  throw unexpected(state, observation);
}

/** The event of a pod whose containers could not be killed; none for an unknown pod. */
function recordFailedKill({ pod }: TerminatingPod, error: unknown): readonly PodWorkerAction[] {
  if (pod === undefined) return [];
  const message = `error killing pod: ${messageOf(error)}`;
  return [{ type: "RecordEvent", pod, eventType: "Warning", reason: "FailedKillPod", message }];
}

/** Begins a round of a terminating pod. */
export function beginTerminating(state: TerminatingPod, actions: readonly PodWorkerAction[]): Transition {
  return read({ ...state, woken: false }, "ReadRuntime", actions);
}

/** Kills the containers that still ran at the last read of the runtime. */
export function continueTerminating(state: TerminatingPod, now: Now, actions: readonly PodWorkerAction[]): Transition {
  const { pod, snapshot, graceSeconds, reason } = state;
  const { actions: steps } = computePodActions({
    pod: pod ?? emptyPod(state.identity),
    intent: { type: "Terminate", graceSeconds, why: reason },
    runtime: snapshot.runtime,
    verdicts: snapshot.verdicts,
    backoffMs: new Map(),
    shownRestarts: new Map(),
  });
  if (steps.length === 0) return terminated(state, now, actions);
  return {
    state: { ...state, work: { type: "KillPod" } },
    actions: [...actions, { type: "KillPod", pod, runtime: snapshot.runtime, graceSeconds }],
  };
}

/** The next state of a pod whose containers have all stopped. */
export function nextTerminated(state: TerminatedPod, observation: PodObservation, now: Now): Transition {
  switch (observation.type) {
    case "Updated":
    case "Removed":
    case "Failed":
    case "Woken":
      return wake(changed(state, observation));
    case "Due":
      return {
        state: { ...state, woken: false, work: { type: "ReadRuntime" } },
        actions: [{ type: "ReadRuntime", pod: state.pod, probes: "stop" }],
      };
    case "EffectFailed":
      return failRound(state, observation.error);
    case "RuntimeRead": {
      const shown = withStatus({ ...state, snapshot: observation.snapshot }, now);
      if (!isAlive(observation.snapshot.runtime)) return releaseResources(shown.state, shown.actions);
      const { released: _, cleared: __, ...ending } = shown.state;
      return continueTerminating({ ...ending, type: "Terminating", work: { type: "Idle" } }, now, shown.actions);
    }
    case "Done":
      return afterRelease(state, observation);
    default:
      throw unexpected(state, observation);
  }
}

/**
 * Applies a change from outside to a terminating pod. Termination is final: a pod that its source has again starts
 * later.
 */
function changed<S extends TerminatingPod | TerminatedPod>(state: S, change: PodChange): S {
  switch (change.type) {
    case "Updated": {
      const { pod } = change;
      // This includes a deleted pod: its new worker makes the API server remove it.
      if (state.removed) return { ...state, restart: pod };
      return withTermination({ ...state, pod });
    }
    case "Removed":
      return withTermination({ ...state, removed: true, restart: undefined });
    case "Failed":
      // The phase of a pod that has completed is final.
      if (state.type === "Terminated" || state.reason === "Finished") return state;
      return withTermination({
        ...state,
        failure: state.failure ?? change.failure,
        graceSeconds: shorterGrace(state.graceSeconds, change.failure.graceSeconds),
      });
    case "Woken":
      return state;
    default:
      return assertNever(change);
  }
}

/** Updates the reason and the grace period after a change. */
function withTermination<S extends TerminatingPod | TerminatedPod>(state: S): S {
  const termination = terminationOf(state);
  if (termination === undefined) return state;
  const failureGrace = state.failure?.graceSeconds;
  const graceSeconds = shorterGrace(shorterGrace(state.graceSeconds, termination.graceSeconds), failureGrace);
  return { ...state, reason: termination.reason, graceSeconds };
}

/** Enters the state Terminated, when nothing of the pod runs any longer. */
function terminated(state: TerminatingPod, now: Now, actions: readonly PodWorkerAction[] = []): Transition {
  const shown = withStatus({ ...state, type: "Terminated", released: false, cleared: false, work: idle }, now);
  return releaseResources(shown.state, [...actions, ...shown.actions]);
}

/**
 * Releases the resources of the pod: volumes and control groups while the API server still has the pod, everything once
 * it is deleted or removed. Its logs stay until then.
 */
function releaseResources(state: TerminatedPod, actions: readonly PodWorkerAction[]): Transition {
  const { removed, pod, snapshot, policy } = state;
  if (removed || pod?.metadata.deletionTimestamp !== undefined)
    return { state: { ...state, work: { type: "FlushStatus" } }, actions: [...actions, { type: "FlushStatus" }] };
  if (state.released) return endRound(state, policy.syncMs, actions);
  return {
    state: { ...state, work: { type: "Release" } },
    actions: [...actions, { type: "Release", runtime: snapshot.runtime }],
  };
}

/** Continues after a step of the release. */
function afterRelease(state: TerminatedPod, observation: PodObservation): Transition {
  const { work, snapshot, policy } = state;
  switch (work.type) {
    case "Release":
      return endRound({ ...state, released: true }, policy.syncMs);
    case "FlushStatus":
      if (state.cleared) return afterClear(state);
      return {
        state: { ...state, work: { type: "Clear" } },
        actions: [{ type: "Clear", runtime: snapshot.runtime }],
      };
    case "Clear":
      return afterClear({ ...state, cleared: true });
    case "DeletePod":
      return endRound(state, policy.syncMs);
    default:
      throw unexpected(state, observation);
  }
}

/** Nothing of the pod is left on this node: the worker ends, or the pod is removed from the API server. */
function afterClear(state: TerminatedPod): Transition {
  const { removed, pod, identity, status, restart, policy } = state;
  if (removed) return { state: { type: "Gone", identity, status, restart }, actions: [] };
  if (pod === undefined || isStaticPod(pod)) return endRound(state, policy.syncMs);
  return { state: { ...state, work: { type: "DeletePod" } }, actions: [{ type: "DeletePod", pod }] };
}

const read = (
  state: TerminatingPod,
  type: "ReadRuntime" | "ReadResult",
  actions: readonly PodWorkerAction[],
): Transition => ({
  state: { ...state, work: { type } },
  // Endpoints of a terminating pod still serve while the pod is ready (KEP-1669).
  actions: [...actions, { type: "ReadRuntime", pod: state.pod, probes: "readiness" }],
});

const idle = { type: "Idle" } as const;

const isAlive = (runtime: PodRuntime): boolean =>
  runtime.containers.some(({ phase }) => phase === "running" || phase === "unknown") ||
  runtime.sandboxes.some(({ ready }) => ready);

/** Stands for an unknown pod whose containers the runtime still has. It has no containers, so nothing is started. */
const emptyPod = ({ uid, name, namespace }: PodIdentity): core.Pod => ({
  metadata: { uid, name, namespace },
  spec: { containers: [] },
  status: {},
});
