import type { core } from "@orchernetes/api";
import { ownedConditions } from "../../status/conditions.ts";
import { podStatusOf } from "../../status/pod-status.ts";
import {
  initialRetryMs,
  type Now,
  type StartingPod,
  type SyncingPod,
  type TerminatedPod,
  type TerminatingPod,
} from "./pod-state.ts";
import type { EffectResult, PodObservation, PodWorkerAction, Transition } from "./transition.ts";

/** A state that has rounds. */
export type LivePod = StartingPod | SyncingPod | TerminatingPod | TerminatedPod;

/** Maximum delay of the next round after repeated failures. */
const maxRetryMs = 30_000;

/** Computes the status, and the action that sets it. An unknown pod has no status. Pure. */
export function withStatus<S extends SyncingPod | TerminatingPod | TerminatedPod>(
  state: S,
  now: Now,
): { readonly state: S; readonly actions: readonly PodWorkerAction[] } {
  const { pod, snapshot, waiting, startTime } = state;
  if (pod === undefined) return { state, actions: [] };
  const shown = state.status ?? pod.status ?? {};
  const status = podStatusOf({
    pod,
    runtime: snapshot.runtime,
    shown: { ...shown, conditions: conditionsFor(pod.status?.conditions, shown.conditions) },
    waiting,
    probes: (containerId) => snapshot.probes.get(containerId) ?? { started: false, ready: false },
    failure: state.type === "Syncing" ? undefined : state.failure,
    blocked: state.type === "Syncing" ? state.blocked : undefined,
    over: state.type === "Terminated" && state.reason !== "Finished",
    hostIPs: snapshot.hostIPs,
    startTime,
    now: now.date,
  });
  return { state: { ...state, status }, actions: [{ type: "SetStatus", pod, status }] };
}

/** Ends a successful round. If something changed during the round, the next one follows at once. */
export function endRound(state: LivePod, waitMs: number, actions: readonly PodWorkerAction[] = []): Transition {
  return {
    state: { ...state, work: { type: "Idle" }, retryMs: initialRetryMs },
    actions: [...actions, { type: "Wait", ms: state.woken ? 0 : waitMs }],
  };
}

/** Ends a failed round. The delay of the next one doubles with each failure. */
export function failRound(state: LivePod, error: unknown, actions: readonly PodWorkerAction[] = []): Transition {
  return {
    state: {
      ...state,
      work: { type: "Idle" },
      retryMs: Math.min(state.retryMs * 2, maxRetryMs),
      // Frequent changes must not bypass the back-off of a failing pod.
      woken: false,
    },
    actions: [...actions, { type: "LogError", error }, { type: "Wait", ms: state.retryMs }],
  };
}

/** Causes a round: at once if no effect is in flight, otherwise after the current round. */
export function wake(state: LivePod): Transition {
  if (state.work.type === "Idle") return { state, actions: [{ type: "Wait", ms: 0 }] };
  return { state: { ...state, woken: true }, actions: [] };
}

/** The error for a result that no effect of this state has, which is a bug of the worker. */
export function unexpected(state: LivePod, observation: PodObservation | EffectResult): Error {
  return new Error(
    `pod worker: found observation ${observation.type} in state ${state.type} (${state.work.type}); want the result of the effect in flight`,
  );
}

/**
 * Conditions of other writers are taken from the API server's pod, the agent's own from the status that was set last.
 */
function conditionsFor(
  stored: readonly core.PodCondition[] | undefined,
  own: readonly core.PodCondition[] | undefined,
): readonly core.PodCondition[] {
  const others = (stored ?? []).filter(({ type }) => own?.every((condition) => condition.type !== type) ?? true);
  const updated = (own ?? []).map((condition) => {
    const newer = stored?.find(({ type }) => type === condition.type);
    return newer !== undefined && !isOwned(condition.type) ? newer : condition;
  });
  return [...updated, ...others];
}

const isOwned = (type: string): boolean => (ownedConditions as readonly string[]).includes(type);
