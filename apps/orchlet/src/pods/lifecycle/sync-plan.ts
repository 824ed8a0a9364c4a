import type { core } from "@orchernetes/api";
import { parseTime } from "@orchernetes/apimachinery";
import { assertNever, messageOf } from "@orchernetes/kernel";
import { latestContainer } from "../../runtime/pod-runtime.ts";
import { allContainers, type ContainerRef } from "../../types/pod-identity.ts";
import { PodStartError } from "../../types/start-error.ts";
import type { PodAction } from "./compute-pod-actions.ts";
import { withRestart } from "./crash-backoff.ts";
import type { Now, SyncingPod, SyncPlan, SyncWork } from "./pod-state.ts";
import { endRound, failRound } from "./rounds.ts";
import { deadlineOf } from "./termination.ts";
import type { EffectResult, PodEffect, PodWorkerAction, Transition } from "./transition.ts";

/** Bounds of the back-off after failed attempts to prepare volumes, as in the original. */
const firstVolumeRetryMs = 500;
const maxVolumeRetryMs = 122_000;
/** Delay before a failed start is repeated, long enough for clients to see the reason. */
const startRetryMs = 10_000;
const pullRetryMs = 2000;
/** Maximum length of a failure message in a status, in characters: messages may quote long commands and names. */
const maxReasonLength = 4096;
/** A lower bound for waits: clocks have limited resolution, and a round that is early finds nothing to do. */
const minWaitMs = 10;

const reading = (pod: core.Pod): PodEffect => ({ type: "ReadRuntime", pod, probes: "sync" });

/** Performs the next step of the plan, or reads the result if there is none left. Pure. */
export function nextStep(
  state: SyncingPod,
  plan: SyncPlan,
  now: Now,
  actions: readonly PodWorkerAction[] = [],
): Transition {
  const [step, ...steps] = plan.steps;
  if (step === undefined) return stopPlan(state, plan, actions);
  const skip = (): Transition => nextStep(state, { ...plan, steps }, now, actions);
  const { pod } = plan;
  const { runtime } = state.snapshot;
  switch (step.type) {
    case "KillPod": {
      const changed = step.why === "SandboxChanged" && runtime.sandboxes.length > 0;
      const events: readonly PodWorkerAction[] = changed ? [sandboxChanged(pod)] : [];
      const kill: PodEffect = { type: "KillPod", pod, runtime, graceSeconds: step.graceSeconds };
      return begin(state, { type: "Step", plan }, [...actions, ...events, kill]);
    }
    case "KillContainer": {
      const container = runtime.containers.find(({ id }) => id === step.containerId);
      if (container === undefined) return skip();
      const { graceSeconds, message } = step;
      const kill: PodEffect = { type: "KillContainer", pod, container, graceSeconds, message };
      return begin(state, { type: "Step", plan }, [...actions, kill]);
    }
    case "CreateSandbox":
      return prepareForStep(state, plan, now, actions);
    case "StartContainer": {
      const ref = refOf(plan.pod, step);
      if (ref === undefined) return skip();
      if (state.volumes.prepared === undefined) return prepareForStep(state, plan, now, actions);
      return start(state, plan, ref, step.restartCount, now, actions);
    }
    default:
      return assertNever(step);
  }
}

/** Handles the result of the step in flight. Pure. */
export function afterStep(state: SyncingPod, plan: SyncPlan, result: EffectResult, now: Now): Transition {
  const [step] = plan.steps;
  const rest: SyncPlan = { ...plan, steps: plan.steps.slice(1) };
  const look = (next: SyncingPod, actions: readonly PodWorkerAction[] = []): Transition =>
    begin(next, { type: "ReadStep", plan: rest }, [...actions, reading(next.pod)]);
  if (result.type === "EffectFailed") {
    return step?.type === "CreateSandbox" ? failSandbox(state, plan.pod, result.error) : failRound(state, result.error);
  }
  switch (step?.type) {
    case "CreateSandbox":
      return look(state);
    case "StartContainer": {
      if (result.type === "StartFailed") return look(...withFailedStart(state, plan.pod, step.name, result, now));
      const waiting = without(state.waiting, step.name);
      return look({ ...state, waiting, notBeforeMs: without(state.notBeforeMs, step.name) });
    }
    default:
      return nextStep(state, rest, now);
  }
}

/** Ends a round in which the sandbox could not be created. */
function failSandbox(state: SyncingPod, pod: core.Pod, error: unknown): Transition {
  if (!(error instanceof PodStartError))
    return failRound(state, error, [
      warning(pod, "FailedCreatePodSandBox", `Failed to create pod sandbox: ${messageOf(error)}`),
    ]);
  const { reason, message, retryInMs: retryMs = state.retryMs } = error;
  return failRound({ ...state, retryMs }, error, [warning(pod, reason, message)]);
}

/** Continues with the first step of the plan when the volumes that it needs are prepared. Pure. */
export function stepWithVolumes(state: SyncingPod, plan: SyncPlan, now: Now): Transition {
  const [step] = plan.steps;
  if (step?.type !== "CreateSandbox") return nextStep(state, plan, now);
  const create: PodEffect = { type: "CreateSandbox", pod: plan.pod, attempt: step.attempt };
  return begin(state, { type: "Step", plan }, [create]);
}

/** Skips the remaining steps of the plan, and reads the result of those that were performed. Pure. */
export function stopPlan(state: SyncingPod, plan: SyncPlan, actions: readonly PodWorkerAction[] = []): Transition {
  return begin(state, { type: "ReadResult", plan }, [...actions, reading(state.pod)]);
}

/** Milliseconds until the volumes may be prepared again after a failure; 0 if they may be prepared now. Pure. */
export function volumesWaitMs({ volumes: { failed } }: SyncingPod, now: Now): number {
  return failed === undefined ? 0 : Math.max(0, failed.atMs + failed.delayMs - now.monotonicMs);
}

/** The state after an attempt to prepare the volumes. Pure. */
export function withVolumes(
  state: SyncingPod,
  result: Extract<EffectResult, { type: "VolumesPrepared" | "VolumesFailed" }>,
  pod: core.Pod,
  now: Now,
): { readonly state: SyncingPod; readonly actions: readonly PodWorkerAction[] } {
  const { prepared, failed } = state.volumes;
  const atMs = now.monotonicMs;
  if (result.type === "VolumesPrepared") {
    const volumes = { prepared: { volumes: result.volumes, atMs }, failed: undefined };
    return { state: { ...state, volumes }, actions: [] };
  }
  const delayMs = failed === undefined ? firstVolumeRetryMs : Math.min(failed.delayMs * 2, maxVolumeRetryMs);
  return {
    state: { ...state, volumes: { prepared, failed: { atMs, delayMs } } },
    actions: [warning(pod, "FailedMount", result.message)],
  };
}

/** Ends a round that performed a plan. The next one is due when the shortest back-off or deadline has passed. Pure. */
export function endPlan(
  state: SyncingPod,
  plan: Pick<SyncPlan, "leftMs" | "resyncNow">,
  now: Now,
  actions: readonly PodWorkerAction[],
): Transition {
  const { pod, policy, startTime, notBeforeMs, volumes } = state;
  if (plan.resyncNow && volumes.failed === undefined) return endRound(state, 0, actions);
  const waits = [policy.syncMs, ...plan.leftMs.values()];
  if (volumes.failed !== undefined) waits.push(volumes.failed.atMs + volumes.failed.delayMs - now.monotonicMs);
  for (const atMs of notBeforeMs.values()) if (atMs > now.monotonicMs) waits.push(atMs - now.monotonicMs);
  const { inMs } = deadlineOf(pod, parseTime(startTime).getTime(), now.date.getTime());
  if (inMs !== undefined) waits.push(inMs);
  return endRound(state, Math.max(minWaitMs, Math.min(...waits)), actions);
}

/** Prepares the volumes for the first step, unless they are in back-off. */
function prepareForStep(state: SyncingPod, plan: SyncPlan, now: Now, actions: readonly PodWorkerAction[]): Transition {
  if (volumesWaitMs(state, now) > 0) return stopPlan(state, plan, actions);
  const prepare: PodEffect = { type: "PrepareVolumes", pod: plan.pod, runtime: state.snapshot.runtime };
  return begin(state, { type: "PrepareForStep", plan }, [...actions, prepare]);
}

function start(
  state: SyncingPod,
  plan: SyncPlan,
  ref: ContainerRef,
  restartCount: number,
  now: Now,
  actions: readonly PodWorkerAction[],
): Transition {
  const { pod } = plan;
  const { name } = ref.container;
  const { runtime } = state.snapshot;
  const isNew = latestContainer(runtime, name) === undefined;
  const stale = isNew || state.waiting.get(name)?.reason === "CrashLoopBackOff";
  const waiting = stale ? without(state.waiting, name) : state.waiting;
  const volumes = state.volumes.prepared?.volumes ?? new Map();
  const effect: PodEffect = { type: "StartContainer", pod, ref, restartCount, runtime, volumes };
  return begin({ ...withRestart(state, ref.container, now), waiting }, { type: "Step", plan }, [...actions, effect]);
}

/** Records a failed start: its waiting reason, the earliest time of the next start, and an event. */
function withFailedStart(
  state: SyncingPod,
  pod: core.Pod,
  container: string,
  { reason, message, retryInMs }: Extract<EffectResult, { type: "StartFailed" }>,
  now: Now,
): [SyncingPod, readonly PodWorkerAction[]] {
  const retryMs = reason === "ErrImagePull" ? pullRetryMs : (retryInMs ?? startRetryMs);
  const next: SyncingPod = {
    ...state,
    waiting: new Map(state.waiting).set(container, { reason, message: message.slice(0, maxReasonLength) }),
    notBeforeMs: new Map(state.notBeforeMs).set(container, now.monotonicMs + retryMs),
  };
  // Events of hooks say no more than that they failed: what a hook writes may be secret.
  if (reason === "PostStartHookError") return [next, []];
  const text = `Error: ${reason.includes("Image") ? reason : message}`;
  return [next, [{ ...warning(pod, "Failed", text), container }]];
}

const begin = (state: SyncingPod, work: SyncWork, actions: readonly PodWorkerAction[]): Transition => ({
  state: { ...state, work },
  actions,
});

const refOf = (pod: core.Pod, { kind, name }: Extract<PodAction, { type: "StartContainer" }>) =>
  allContainers(pod).find((ref) => ref.kind === kind && ref.container.name === name);

const warning = (pod: core.Pod, reason: string, message: string) =>
  ({ type: "RecordEvent", pod, eventType: "Warning", reason, message }) as const;

const sandboxChanged = (pod: core.Pod): PodWorkerAction => ({
  type: "RecordEvent",
  pod,
  eventType: "Normal",
  reason: "SandboxChanged",
  message: "Pod sandbox changed, it will be killed and re-created.",
});

function without<V>(map: ReadonlyMap<string, V>, key: string): ReadonlyMap<string, V> {
  if (!map.has(key)) return map;
  const rest = new Map(map);
  rest.delete(key);
  return rest;
}
