import type { core } from "@orchernetes/api";
import { isPodTerminal } from "@orchernetes/component-helpers";
import type { PodFailure } from "../../types/pod-failure.ts";

/**
 * The reason for killing a pod: it was deleted; its source no longer has it; the agent failed it; or its phase is
 * Succeeded or Failed.
 */
export type KillReason = "Deleted" | "Removed" | "Failed" | "Finished";

/** Why a pod terminates, and how much time its containers get. */
export interface Termination {
  readonly reason: KillReason;
  readonly graceSeconds: number;
}

const defaultGraceSeconds = 30;
/** Grace period of a pod that no source has: the agent does not know what it needs. As in the original. */
export const unknownGraceSeconds = 1;

/** Why a pod must terminate; undefined if it need not. The first reason that applies is returned. Pure. */
export function terminationOf(state: {
  readonly pod: core.Pod | undefined;
  /** Its source no longer has it, whether or not it was deleted. */
  readonly removed: boolean;
  readonly failure: PodFailure | undefined;
  readonly status: core.PodStatus | undefined;
}): Termination | undefined {
  const { pod, removed, failure, status } = state;
  if (pod === undefined) return removed ? { reason: "Removed", graceSeconds: unknownGraceSeconds } : undefined;
  const { metadata, spec } = pod;
  const specified = spec.terminationGracePeriodSeconds ?? defaultGraceSeconds;
  const requested = metadata.deletionGracePeriodSeconds ?? specified;
  if (metadata.deletionTimestamp !== undefined) return { reason: "Deleted", graceSeconds: requested };
  if (removed) return { reason: "Removed", graceSeconds: requested };
  if (failure !== undefined) return { reason: "Failed", graceSeconds: failure.graceSeconds ?? specified };
  return isPodTerminal({ status }) ? { reason: "Finished", graceSeconds: specified } : undefined;
}

/** The shorter of two grace periods: the grace period of a terminating pod never increases. */
export const shorterGrace = (before: number, requested: number | undefined): number =>
  Math.min(before, requested ?? before);

/**
 * The failure of a pod that has exceeded its active deadline, or the milliseconds until then. Both are absent without a
 * deadline.
 */
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
