import type { core } from "@orchernetes/api";
import type { PodFailure } from "../types/pod-failure.ts";
import type { PodIntent } from "./decide.ts";

/** The pod's own time to end, in seconds. */
export function ownGraceSeconds({ metadata, spec }: core.Pod): number {
  return metadata.deletionGracePeriodSeconds ?? spec.terminationGracePeriodSeconds ?? 30;
}

/** What is to become of a pod. Pure. */
export function intentOf(state: {
  readonly pod: core.Pod;
  /** It was taken away from where it came from, with or without being deleted before. */
  readonly removed: boolean;
  readonly failure: PodFailure | undefined;
  /** Its phase is Succeeded or Failed. */
  readonly finished: boolean;
}): PodIntent {
  const { pod, removed, failure } = state;
  const { metadata } = pod;
  if (metadata.deletionTimestamp !== undefined)
    return { type: "Terminate", graceSeconds: ownGraceSeconds(pod), why: "Deleted" };
  if (removed) return { type: "Terminate", graceSeconds: ownGraceSeconds(pod), why: "Removed" };
  if (failure !== undefined) return { type: "Terminate", graceSeconds: failure.graceSeconds, why: failure.reason };
  if (state.finished) return { type: "Terminate", why: "Finished" };
  return { type: "Run" };
}

/** The failure of a pod that has used up its active deadline, and how long that is away otherwise. */
export function deadlineOf(
  pod: core.Pod,
  startedAtMs: number | undefined,
  nowMs: number,
): { readonly failure?: PodFailure; readonly inMs?: number } {
  const { activeDeadlineSeconds } = pod.spec;
  if (activeDeadlineSeconds === undefined || startedAtMs === undefined) return {};
  const inMs = startedAtMs + activeDeadlineSeconds * 1000 - nowMs;
  if (inMs > 0) return { inMs };
  return {
    failure: {
      reason: "DeadlineExceeded",
      message: "Pod was active on the node longer than the specified deadline",
    },
  };
}
