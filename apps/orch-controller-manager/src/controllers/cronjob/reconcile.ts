import type { batch } from "@orchernetes/api";
import { CronScheduleError, parseCronSchedule } from "@orchernetes/api/batch/v1";
import { formatTime, type Stored } from "@orchernetes/apimachinery";
import type { Plan } from "@orchernetes/controller";
import { semanticEqual } from "../../shared/semantic-equal.ts";
import type { Job } from "../job/job-pods.ts";
import { findCondition, isFinished } from "../job/reconcile.ts";
import { nextTime, wallClock } from "./next-time.ts";

/** A CronJob as the API server returns it. */
export type CronJob = Stored<batch.CronJob>;

/** Everything that determines what to do for a CronJob. */
export interface CronJobState {
  readonly cronJob: CronJob;
  /** The jobs that the CronJob controls. */
  readonly jobs: readonly Job[];
}

/** A write of the controller, in the order of the plan. */
export type CronJobAction =
  | { readonly type: "DeleteJob"; readonly job: Job }
  /** Creates the job for a scheduled time, and adds it to `status.active`. */
  | { readonly type: "StartJob"; readonly scheduledAt: Date; readonly cronJob: CronJob }
  | { readonly type: "UpdateStatus"; readonly cronJob: CronJob }
  | { readonly type: "Event"; readonly of: "Normal" | "Warning"; readonly reason: string; readonly message: string };

/** Delay of the next sync after the scheduled time: timers may fire early, and the time would not have come yet. */
const nextScheduleDeltaMs = 100;
/** More missed times than this cause a warning; they are then no longer counted one by one. As in the original. */
const tooManyMissed = 100;

/** Sorts jobs by start time, and by creation time until they have started. */
const newestLast = (jobs: readonly Job[]): readonly Job[] =>
  [...jobs].sort(
    (a, b) =>
      Date.parse(a.status?.startTime ?? a.metadata.creationTimestamp) -
        Date.parse(b.status?.startTime ?? b.metadata.creationTimestamp) || (a.metadata.name < b.metadata.name ? -1 : 1),
  );

/** Updates the status, deletes old jobs, and starts the job that is due. Pure. */
export function reconcile({ cronJob, jobs }: CronJobState, now: Date): Plan<CronJobAction> {
  const actions: CronJobAction[] = [];
  const event = (of: "Normal" | "Warning", reason: string, message: string): void => {
    actions.push({ type: "Event", of, reason, message });
  };
  for (const job of surplusHistory(cronJob, jobs)) actions.push({ type: "DeleteJob", job });
  const byUid = new Map(jobs.map((job) => [job.metadata.uid, job]));
  const recorded = cronJob.status?.active ?? [];
  let active = recorded.filter((ref) => {
    const job = byUid.get(ref.uid ?? "");
    if (job === undefined) event("Normal", "MissingJob", `Active job went missing: ${ref.name}`);
    else if (isFinished(job)) {
      const status = findCondition(job, "Complete") === undefined ? "Failed" : "Complete";
      event("Normal", "SawCompletedJob", `Saw completed job: ${ref.name}, status: ${status}`);
    } else return true;
    return false;
  });
  let lastSuccessfulTime = cronJob.status?.lastSuccessfulTime;
  for (const { metadata, status } of jobs) {
    const job = byUid.get(metadata.uid);
    if (job === undefined) continue;
    if (!isFinished(job) && !recorded.some(({ uid }) => uid === metadata.uid)) {
      event("Warning", "UnexpectedJob", `Saw a job that the controller did not create or forgot: ${metadata.name}`);
    }
    const done = findCondition(job, "Complete") === undefined ? undefined : status?.completionTime;
    if (done !== undefined && Date.parse(done) > Date.parse(lastSuccessfulTime ?? "1970-01-01T00:00:00Z")) {
      lastSuccessfulTime = done;
    }
  }
  const withStatus = (): CronJob => ({
    ...cronJob,
    status: {
      ...cronJob.status,
      active,
      ...(lastSuccessfulTime === undefined ? {} : { lastSuccessfulTime }),
    },
  });
  const finish = (requeueAfterMs?: number): Plan<CronJobAction> => {
    const next = withStatus();
    if (!semanticEqual(next.status, cronJob.status)) actions.push({ type: "UpdateStatus", cronJob: next });
    return requeueAfterMs === undefined ? { actions } : { actions, requeueAfterMs };
  };
  if (cronJob.metadata.deletionTimestamp !== undefined || cronJob.spec.suspend) return finish();

  const due = dueTime(cronJob, now);
  if (due.type === "invalid") {
    event("Warning", due.reason, due.message);
    return finish();
  }
  const later = due.nextMs === undefined ? undefined : due.nextMs - now.getTime() + nextScheduleDeltaMs;
  if (due.missed > tooManyMissed) {
    const hint = "Set or decrease .spec.startingDeadlineSeconds or check clock skew";
    event("Warning", "TooManyMissedTimes", `too many missed start times: ${due.missed}. ${hint}`);
  }
  if (due.atMs === undefined) return finish(later);
  const scheduledAt = new Date(due.atMs);
  const { startingDeadlineSeconds, concurrencyPolicy } = cronJob.spec;
  if (startingDeadlineSeconds !== undefined && due.atMs + startingDeadlineSeconds * 1000 < now.getTime()) {
    event("Warning", "MissSchedule", `Missed scheduled time to start a job: ${scheduledAt.toUTCString()}`);
    return finish(later);
  }
  if (concurrencyPolicy === "Forbid" && active.length > 0) {
    event(
      "Normal",
      "JobAlreadyActive",
      "Not starting job because prior execution is running and concurrency policy is Forbid",
    );
    return finish(later);
  }
  if (concurrencyPolicy === "Replace") {
    for (const { uid } of active) {
      const job = byUid.get(uid ?? "");
      if (job !== undefined) actions.push({ type: "DeleteJob", job });
    }
    active = [];
  }
  actions.push({ type: "StartJob", scheduledAt, cronJob: withStatus() });
  return later === undefined ? { actions } : { actions, requeueAfterMs: later };
}

/** Finished jobs beyond the history limits, oldest first. */
function surplusHistory({ spec }: CronJob, jobs: readonly Job[]): readonly Job[] {
  const beyond = (finished: readonly Job[], limit: number | undefined): readonly Job[] =>
    limit === undefined ? [] : newestLast(finished).slice(0, Math.max(0, finished.length - limit));
  return [
    ...beyond(
      jobs.filter((job) => findCondition(job, "Complete")),
      spec.successfulJobsHistoryLimit,
    ),
    ...beyond(
      jobs.filter((job) => findCondition(job, "Failed")),
      spec.failedJobsHistoryLimit,
    ),
  ].filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}

/**
 * The scheduled times around now, or why the schedule is invalid. An invalid schedule is not retried: only a change
 * helps.
 */
type Due =
  | { readonly type: "invalid"; readonly reason: string; readonly message: string }
  | {
      readonly type: "valid";
      /** The latest scheduled time that has passed without a job. */
      readonly atMs: number | undefined;
      readonly missed: number;
      readonly nextMs: number | undefined;
    };

/** The latest missed time since the last start, but not before the starting deadline, and the next time. */
function dueTime({ metadata, spec, status }: CronJob, now: Date): Due {
  try {
    const schedule = parseCronSchedule(spec.schedule);
    const clock = wallClock(spec.timeZone ?? schedule.timeZone ?? "UTC");
    const nowMs = now.getTime();
    let at = Date.parse(status?.lastScheduleTime ?? metadata.creationTimestamp);
    if (spec.startingDeadlineSeconds !== undefined) at = Math.max(at, nowMs - spec.startingDeadlineSeconds * 1000);
    let latest: number | undefined;
    let missed = 0;
    let next = nextTime(schedule, at, clock);
    while (next !== undefined && next <= nowMs) {
      latest = next;
      missed += 1;
      // Far behind: only the latest missed time matters, so skip the times before it.
      const jump = missed > tooManyMissed ? Math.max(next, nowMs - 2 * (next - at) - 60_000) : next;
      at = next;
      next = nextTime(schedule, missed > tooManyMissed && schedule.type === "calendar" ? jump : next, clock);
    }
    return { type: "valid", atMs: latest, missed, nextMs: next };
  } catch (error) {
    if (error instanceof RangeError) {
      const message = `invalid timeZone: ${JSON.stringify(spec.timeZone)}: ${error.message}`;
      return { type: "invalid", reason: "UnknownTimeZone", message };
    }
    if (!(error instanceof CronScheduleError)) throw error;
    const message = `unparseable schedule: ${JSON.stringify(spec.schedule)} : ${error.message}`;
    return { type: "invalid", reason: "UnparseableCronJobSchedule", message };
  }
}

/** The name of the job for a scheduled time. It contains the time in minutes, so that a time cannot get two jobs. */
export const jobName = ({ metadata }: CronJob, scheduledAt: Date): string =>
  `${metadata.name}-${Math.floor(scheduledAt.getTime() / 60_000)}`;

/** The value of `status.lastScheduleTime`. */
export const lastScheduleTime = (scheduledAt: Date): string => formatTime(scheduledAt);
