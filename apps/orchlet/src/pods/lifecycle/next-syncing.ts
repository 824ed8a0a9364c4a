import type { core } from "@orchernetes/api";
import { parseTime } from "@orchernetes/apimachinery";
import { isPodTerminal } from "@orchernetes/component-helpers";
import { assertNever } from "@orchernetes/kernel";
import { readySandbox } from "../../runtime/pod-runtime.ts";
import { type PodFailure, rejectionOf } from "../../types/pod-failure.ts";
import { computePodActions } from "./compute-pod-actions.ts";
import { backoffs } from "./crash-backoff.ts";
import { beginTerminating, continueTerminating, terminating } from "./next-terminating.ts";
import type { Now, PodSnapshot, StartingPod, SyncingPod, SyncPlan } from "./pod-state.ts";
import { endRound, failRound, unexpected, wake, withStatus } from "./rounds.ts";
import { afterStep, endPlan, nextStep, stepWithVolumes, stopPlan, volumesWaitMs, withVolumes } from "./sync-plan.ts";
import { deadlineOf } from "./termination.ts";
import type { EffectResult, PodChange, PodObservation, PodWorkerAction, Transition } from "./transition.ts";

/** The next state of a pod that has not been admitted. */
export function nextStarting(state: StartingPod, observation: PodObservation, now: Now): Transition {
  switch (observation.type) {
    case "Updated":
    case "Removed":
    case "Failed":
    case "Woken":
      return changed(state, observation);
    case "Due":
      return (
        endByDeadline(state, now) ?? {
          state: { ...state, woken: false, work: { type: "ReadRuntime" } },
          actions: [{ type: "ReadRuntime", pod: state.pod, probes: "keep" }],
        }
      );
    case "EffectFailed":
      return failRound(state, observation.error);
    case "RuntimeRead": {
      const next = { ...state, snapshot: observation.snapshot };
      // A pod is admitted once: a running pod stays, even if the node has changed since.
      const isNew = isPending(state.status) && observation.snapshot.runtime.containers.length === 0;
      if (!isNew) return beginSyncing(next, [{ type: "GrantAdmission" }]);
      return { state: { ...next, work: { type: "Admit" } }, actions: [{ type: "Admit", pod: state.pod }] };
    }
    case "Admitted":
      return beginSyncing(state, []);
    case "Refused": {
      const { reason, message } = observation.refusal;
      return beginTerminating(withFailure(state, rejectionOf(observation.refusal)), [
        { type: "RecordEvent", pod: state.pod, eventType: "Warning", reason, message },
      ]);
    }
    default:
      throw unexpected(state, observation);
  }
}

/** The next state of an admitted pod, whose containers are kept running. */
export function nextSyncing(state: SyncingPod, observation: PodObservation, now: Now): Transition {
  switch (observation.type) {
    case "Updated":
    case "Removed":
    case "Failed":
    case "Woken":
      return changed(state, observation);
    case "Due":
      return endByDeadline(state, now) ?? readRuntime({ ...state, woken: false }, []);
    default:
      return syncResult(state, observation, now);
  }
}

/** Handles the result of the effect that a syncing pod waits for. */
function syncResult(state: SyncingPod, result: EffectResult, now: Now): Transition {
  const { work } = state;
  switch (work.type) {
    case "ReadRuntime":
      if (result.type === "RuntimeRead") return beginRound(state, result.snapshot, now);
      break;
    case "PrepareVolumes":
      if (result.type === "VolumesPrepared" || result.type === "VolumesFailed") {
        const next = withVolumes(state, result, state.pod, now);
        return makePlan(next.state, now, next.actions);
      }
      break;
    case "PrepareForStep":
      if (result.type === "VolumesPrepared")
        return stepWithVolumes(withVolumes(state, result, work.plan.pod, now).state, work.plan, now);
      if (result.type === "VolumesFailed") {
        const next = withVolumes(state, result, work.plan.pod, now);
        return stopPlan(next.state, work.plan, next.actions);
      }
      break;
    case "Step":
      return afterStep(state, work.plan, result, now);
    case "ReadStep":
      if (result.type === "RuntimeRead") {
        const seen = { ...state, snapshot: result.snapshot };
        if (isSandboxAlone(seen, work.plan)) return nextStep(seen, work.plan, now);
        const next = withStatus(seen, now);
        return nextStep(next.state, work.plan, now, next.actions);
      }
      break;
    case "ReadResult":
      if (result.type === "RuntimeRead") {
        const next = withStatus({ ...state, snapshot: result.snapshot }, now);
        return endPlan(next.state, work.plan, now, next.actions);
      }
      break;
    case "Idle":
      break;
    default:
      return assertNever(work);
  }
  if (result.type === "EffectFailed") return failRound(state, result.error);
  throw unexpected(state, result);
}

/**
 * Whether all that is new is a sandbox whose containers are started next. Its address is written with their state: in a burst, a write
 * for each sandbox would be a third of all.
 */
function isSandboxAlone({ snapshot: { runtime } }: SyncingPod, { steps: [next] }: SyncPlan): boolean {
  const [newest] = runtime.sandboxes;
  return next?.type === "StartContainer" && runtime.containers.every(({ sandboxId }) => sandboxId !== newest?.id);
}

/** Handles a change from outside: terminates the pod, or causes a round. */
function changed(state: StartingPod | SyncingPod, change: PodChange): Transition {
  const pod = change.type === "Updated" ? change.pod : state.pod;
  const next = terminating(
    { ...state, pod },
    {
      removed: change.type === "Removed",
      failure: change.type === "Failed" ? change.failure : undefined,
    },
  );
  if (next === undefined) return wake({ ...state, pod });
  if (next.work.type === "Idle") return { state: next, actions: [{ type: "Wait", ms: 0 }] };
  // The effect in flight is interrupted; the termination starts when its result arrives.
  return { state: next, actions: [{ type: "Interrupt" }] };
}

/** Terminates a pod that has exceeded its active deadline; undefined for other pods. */
function endByDeadline(state: StartingPod | SyncingPod, now: Now): Transition | undefined {
  const { failure } = deadlineOf(state.pod, parseTime(state.startTime).getTime(), now.date.getTime());
  if (failure === undefined) return undefined;
  const { reason, message } = failure;
  return beginTerminating(withFailure(state, failure), [
    { type: "RecordEvent", pod: state.pod, eventType: "Normal", reason, message },
  ]);
}

/** Enters the state Syncing with a first round. */
function beginSyncing({ type: _, work: __, ...known }: StartingPod, actions: readonly PodWorkerAction[]): Transition {
  return readRuntime(
    {
      ...known,
      type: "Syncing",
      blocked: undefined,
      crashes: new Map(),
      announcedCrashes: new Map(),
      notBeforeMs: new Map(),
      volumes: { prepared: undefined, failed: undefined },
      work: { type: "Idle" },
    },
    actions,
  );
}

const readRuntime = (state: SyncingPod, actions: readonly PodWorkerAction[]): Transition => ({
  state: { ...state, work: { type: "ReadRuntime" } },
  actions: [...actions, { type: "ReadRuntime", pod: state.pod, probes: "sync", listed: true }],
});

/**
 * Continues a round after the first read of the runtime: sets the status, then updates the volumes, then makes a plan.
 */
function beginRound(state: SyncingPod, snapshot: PodSnapshot, now: Now): Transition {
  const blocked = isPending(state.status) ? snapshot.blocked : undefined;
  const shown = withStatus({ ...state, snapshot, blocked }, now);
  if (isPodTerminal(shown.state)) {
    const finished = terminating({ ...shown.state, work: { type: "Idle" } }, { removed: false, failure: undefined });
    if (finished !== undefined) return continueTerminating(finished, now, shown.actions);
  }
  const { prepared } = state.volumes;
  // After a restart of the agent, the volumes of a running pod exist already, but their content must be updated.
  const isDue =
    prepared === undefined
      ? readySandbox(snapshot.runtime) !== undefined
      : now.monotonicMs - prepared.atMs > state.policy.syncMs;
  if (!isDue || volumesWaitMs(state, now) > 0) return makePlan(shown.state, now, shown.actions);
  return {
    state: { ...shown.state, work: { type: "PrepareVolumes" } },
    actions: [...shown.actions, { type: "PrepareVolumes", pod: state.pod, runtime: snapshot.runtime }],
  };
}

/** Decides on the steps of the round, and performs the first. */
function makePlan(state: SyncingPod, now: Now, actions: readonly PodWorkerAction[]): Transition {
  const waits = backoffs(state, now);
  const { leftMs } = waits;
  const events = [...actions, ...waits.actions];
  if (state.blocked !== undefined) return endRound(waits.state, state.policy.syncMs, events);
  const { pod, snapshot } = state;
  const decision = computePodActions({
    pod,
    intent: { type: "Run" },
    runtime: snapshot.runtime,
    verdicts: snapshot.verdicts,
    backoffMs: leftMs,
    shownRestarts: shownRestarts(pod.status),
  });
  const shown = decision.backingOff.size > 0 ? withStatus(waits.state, now) : { state: waits.state, actions: [] };
  const before = [...events, ...shown.actions];
  // Killed containers and new sandboxes make further steps possible, so the next round follows at once.
  const resyncNow = decision.actions.some(({ type }) => type !== "StartContainer");
  if (decision.actions.length === 0) return endPlan(shown.state, { leftMs, resyncNow }, now, before);
  return nextStep(shown.state, { pod, steps: decision.actions, leftMs, resyncNow }, now, before);
}

/** The state of a pod that terminates with a failure in this round. */
function withFailure(state: StartingPod | SyncingPod, failure: PodFailure) {
  const next = terminating({ ...state, work: { type: "Idle" } }, { removed: false, failure });
  if (next === undefined) throw new Error("pod worker: found no reason to terminate a pod with a failure; want one");
  return next;
}

/** Whether no container of the pod has run yet, according to its status. */
const isPending = (status: core.PodStatus | undefined): boolean =>
  status?.phase === undefined || status.phase === "Pending";

function shownRestarts(status: core.PodStatus | undefined): ReadonlyMap<string, number> {
  const all = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
  return new Map(all.map(({ name, restartCount }) => [name, restartCount]));
}
