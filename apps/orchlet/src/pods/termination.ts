import type { core } from "@orchernetes/api";
import { isPodTerminal } from "@orchernetes/component-helpers";
import type { PodFailure } from "../types/pod-failure.ts";

/**
 * Why everything of a pod is killed: it was deleted; its source no longer has it; the agent ended it as failed; or its phase is
 * Succeeded or Failed.
 */
export type KillReason = "Deleted" | "Removed" | "Failed" | "Finished";

/** Why a pod ends, and how long its containers get. */
export interface Termination {
  readonly reason: KillReason;
  /** Undefined when the pod is not known: what is written on each container counts. */
  readonly graceSeconds: number | undefined;
}

const defaultGraceSeconds = 30;

/** Why a pod has to end; undefined when it goes on. Pure. The first reason that holds counts. */
export function terminationOf(state: {
  readonly pod: core.Pod | undefined;
  /** Its source no longer has it, whether or not it was deleted. */
  readonly removed: boolean;
  readonly failure: PodFailure | undefined;
  readonly status: core.PodStatus | undefined;
}): Termination | undefined {
  const { pod, removed, failure, status } = state;
  if (pod === undefined) return removed ? { reason: "Removed", graceSeconds: undefined } : undefined;
  const { metadata, spec } = pod;
  const specified = spec.terminationGracePeriodSeconds ?? defaultGraceSeconds;
  const requested = metadata.deletionGracePeriodSeconds ?? specified;
  if (metadata.deletionTimestamp !== undefined) return { reason: "Deleted", graceSeconds: requested };
  if (removed) return { reason: "Removed", graceSeconds: requested };
  if (failure !== undefined) return { reason: "Failed", graceSeconds: failure.graceSeconds ?? specified };
  return isPodTerminal({ status }) ? { reason: "Finished", graceSeconds: specified } : undefined;
}

/** The shorter of two grace periods: once a pod was given one, it never gets more time. */
export function shorterGrace(before: number | undefined, requested: number | undefined): number | undefined {
  if (before === undefined || requested === undefined) return before ?? requested;
  return Math.min(before, requested);
}

/** The failure of a pod that has used up its active deadline; otherwise the milliseconds until then, if it has one. */
export function deadlineOf(
  pod: core.Pod,
  startedAtMs: number,
  nowMs: number,
): { readonly failure?: PodFailure; readonly inMs?: number } {
  const { activeDeadlineSeconds } = pod.spec;
  if (activeDeadlineSeconds === undefined) return {};
  const inMs = startedAtMs + activeDeadlineSeconds * 1000 - nowMs;
  if (inMs > 0) return { inMs };
  return {
    failure: {
      reason: "DeadlineExceeded",
      message: "Pod was active on the node longer than the specified deadline",
    },
  };
}
