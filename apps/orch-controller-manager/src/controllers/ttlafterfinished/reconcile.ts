import type { Job } from "../job/job-pods.ts";
import { isFinished } from "../job/reconcile.ts";

/** Milliseconds until a finished job should be deleted; 0 or less if it is due, undefined if it should stay. */
export function expiresInMs(job: Job, now: Date): number | undefined {
  const { ttlSecondsAfterFinished } = job.spec;
  if (ttlSecondsAfterFinished === undefined || job.metadata.deletionTimestamp !== undefined || !isFinished(job)) {
    return undefined;
  }
  for (const { type, status, lastTransitionTime } of job.status?.conditions ?? []) {
    if ((type !== "Complete" && type !== "Failed") || status !== "True" || lastTransitionTime === undefined) continue;
    return Date.parse(lastTransitionTime) + ttlSecondsAfterFinished * 1000 - now.getTime();
  }
  return undefined;
}
