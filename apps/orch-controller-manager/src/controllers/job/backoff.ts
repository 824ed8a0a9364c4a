import { isPodTerminal } from "@orchernetes/component-helpers";
import type { Job, Pod } from "./job-pods.ts";

/** Bounds of the back-off. Source: "Pod backoff failure policy" in Jobs. */
const firstDelayMs = 10_000;
const maxDelayMs = 6 * 60_000;

/**
 * Time at which the last container of the pod ended; for a pod without containers, the time of its deletion or
 * creation.
 */
function finishedAtMs(pod: Pod): number {
  let last = 0;
  for (const { state } of pod.status.containerStatuses ?? []) {
    const at = state?.terminated?.finishedAt;
    if (at !== undefined) last = Math.max(last, Date.parse(at));
  }
  return last || Date.parse(pod.metadata.deletionTimestamp ?? pod.metadata.creationTimestamp);
}

/** Milliseconds until new pods may be created. The delay doubles with each failure since the last success. */
export function backoffMs(pods: readonly Pod[], now: Date): number {
  let succeededAt = 0;
  for (const pod of pods) if (pod.status.phase === "Succeeded") succeededAt = Math.max(succeededAt, finishedAtMs(pod));
  const failures = pods.filter(({ status }) => status.phase === "Failed").map(finishedAtMs);
  const recent = failures.filter((at) => at > succeededAt);
  if (recent.length === 0) return 0;
  const delay = Math.min(maxDelayMs, firstDelayMs * 2 ** Math.min(recent.length - 1, 20));
  return Math.max(0, Math.max(...recent) + delay - now.getTime());
}

/** Whether the containers of a job with restart policy OnFailure have restarted more often than backoffLimit allows. */
export function restartsExceeded({ spec }: Job, pods: readonly Pod[]): boolean {
  if (spec.template.spec.restartPolicy !== "OnFailure") return false;
  let restarts = 0;
  for (const pod of pods) {
    if (isPodTerminal(pod)) continue;
    const statuses = [...(pod.status.initContainerStatuses ?? []), ...(pod.status.containerStatuses ?? [])];
    for (const { restartCount } of statuses) restarts += restartCount;
  }
  const limit = spec.backoffLimit ?? 6;
  return limit === 0 ? restarts > 0 : restarts >= limit;
}
