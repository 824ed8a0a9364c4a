import type { batch } from "@orchernetes/api";
import { formatTime } from "@orchernetes/apimachinery";
import { isPodActive, isPodReady } from "@orchernetes/component-helpers";
import type { Plan } from "@orchernetes/controller";
import { semanticEqual } from "../../shared/semantic-equal.ts";
import { backoffMs, restartsExceeded } from "./backoff.ts";
import { failureVerdict } from "./failure-policy.ts";
import { formatIndexes, parseIndexes } from "./indexes.ts";
import { indexOf, isIndexed, isTracked, type Job, type Pod } from "./job-pods.ts";

/** Everything that determines what to do for a job. */
export interface JobState {
  readonly job: Job;
  readonly pods: readonly Pod[];
  /** Whether the caches contain the results of all earlier creations and deletions. */
  readonly settled: boolean;
}

/** A write of the controller, in the order of the plan. */
export type JobAction =
  | { readonly type: "CreatePods"; readonly indexes: readonly (number | undefined)[] }
  /**
   * `counted`: the pods count as failed. Otherwise their finalizers are removed first, so that they are not counted.
   */
  | { readonly type: "DeletePods"; readonly pods: readonly Pod[]; readonly counted: boolean }
  /** Removes the finalizers of pods that the stored status has recorded. */
  | { readonly type: "Release"; readonly pods: readonly Pod[] }
  | { readonly type: "UpdateStatus"; readonly job: Job }
  | { readonly type: "Event"; readonly of: "Normal" | "Warning"; readonly reason: string; readonly message: string };

/** Maximum number of pods that are created or deleted in one sync. */
const burstPods = 500;
/**
 * Maximum number of finished pods recorded in one status update, and then released: more would make the status too
 * large.
 */
const maxUncountedPods = 500;

type Condition = batch.JobCondition;

/** The condition of a type, if it is True. */
export const findCondition = ({ status }: Job, type: string): Condition | undefined =>
  status?.conditions?.find((condition) => condition.type === type && condition.status === "True");

/** Whether the job is Complete or Failed. */
export const isFinished = (job: Job): boolean => ["Complete", "Failed"].some((type) => findCondition(job, type));

function condition(type: string, status: "True" | "False", reason: string, message: string, now: Date): Condition {
  const time = formatTime(now);
  return {
    type,
    status,
    lastProbeTime: time,
    lastTransitionTime: time,
    ...(reason === "" ? {} : { reason, message }),
  };
}

/** The counts of finished pods, and the pods to release. */
interface Tally {
  readonly succeeded: number;
  readonly failed: number;
  readonly completed: Set<number>;
  readonly uncounted: { readonly succeeded: readonly string[]; readonly failed: readonly string[] };
  readonly release: readonly Pod[];
  readonly policyFailure: string | undefined;
}

/**
 * Counts finished pods exactly once (KEP-2307). The uid of a finished pod is first recorded in uncountedTerminatedPods,
 * then its finalizer is removed. When this has been observed, the uid is removed and the counter incremented.
 */
function tally({ job, pods }: JobState): Tally {
  const { status } = job;
  const completions = job.spec.completions ?? 0;
  const completed = parseIndexes(status?.completedIndexes, completions);
  const tracked = new Map(pods.filter(isTracked).map((pod) => [pod.metadata.uid, pod]));
  const recorded = status?.uncountedTerminatedPods;
  const waiting = (uids: readonly string[] = []): string[] => uids.filter((uid) => tracked.has(uid));
  const succeeded = waiting(recorded?.succeeded);
  const failed = waiting(recorded?.failed);
  const counted = {
    succeeded: (status?.succeeded ?? 0) + (recorded?.succeeded?.length ?? 0) - succeeded.length,
    failed: (status?.failed ?? 0) + (recorded?.failed?.length ?? 0) - failed.length,
  };
  const release: Pod[] = [];
  const known = new Set([...succeeded, ...failed]);
  let policyFailure = findCondition(job, "FailureTarget")?.message;
  const completedBefore = completed.size;
  for (const [uid, pod] of tracked) {
    // The rest follows once this status and the updated pods are observed.
    if (release.length >= maxUncountedPods) break;
    const notes = completed.size - completedBefore + succeeded.length + failed.length;
    if (notes >= maxUncountedPods && !known.has(uid)) continue;
    const { phase } = pod.status;
    const gone = pod.metadata.deletionTimestamp !== undefined && job.spec.podFailurePolicy === undefined;
    const index = indexOf(pod);
    if (phase === "Succeeded") {
      release.push(pod);
      if (known.has(uid)) continue;
      if (!isIndexed(job)) succeeded.push(uid);
      else if (index !== undefined && index < completions) completed.add(index);
    } else if (phase === "Failed" || gone) {
      release.push(pod);
      if (known.has(uid)) continue;
      const verdict = failureVerdict(job, pod);
      if (verdict?.action === "FailJob") policyFailure ??= verdict.message;
      if (verdict?.action !== "Ignore") failed.push(uid);
    }
  }
  return {
    succeeded: isIndexed(job) ? completed.size : counted.succeeded,
    failed: counted.failed,
    completed,
    uncounted: { succeeded, failed },
    release,
    policyFailure,
  };
}

/** The condition with which the job finishes. */
interface Outcome {
  readonly type: "Complete" | "Failed";
  readonly reason: string;
  readonly message: string;
}

/** Whether and how the job finishes; undefined if it continues. Failures take precedence over completion. */
function outcomeOf(job: Job, counts: Tally, active: readonly Pod[], now: Date): Outcome | undefined {
  const failed = (reason: string, message: string): Outcome => ({ type: "Failed", reason, message });
  if (counts.policyFailure !== undefined) return failed("PodFailurePolicy", counts.policyFailure);
  if (counts.failed + counts.uncounted.failed.length > (job.spec.backoffLimit ?? 6) || restartsExceeded(job, active)) {
    return failed("BackoffLimitExceeded", "Job has reached the specified backoff limit");
  }
  if ((deadlineMs(job, now) ?? 1) <= 0) {
    return failed("DeadlineExceeded", "Job was active longer than specified deadline");
  }
  const succeeded = counts.succeeded + counts.uncounted.succeeded.length;
  const { completions } = job.spec;
  const done = completions === undefined ? succeeded > 0 && active.length === 0 : succeeded >= completions;
  return done && job.spec.suspend !== true ? { type: "Complete", reason: "", message: "" } : undefined;
}

/** Milliseconds until the active deadline; undefined without one, and while the job is suspended. */
function deadlineMs({ spec, status }: Job, now: Date): number | undefined {
  if (spec.activeDeadlineSeconds === undefined || status?.startTime === undefined || spec.suspend) return undefined;
  return Date.parse(status.startTime) + spec.activeDeadlineSeconds * 1000 - now.getTime();
}

/** Counts finished pods, then creates or deletes pods, or finishes the job once all of its pods are counted. Pure. */
export function reconcile(state: JobState, now: Date): Plan<JobAction> {
  const { job, pods, settled } = state;
  if (isFinished(job)) {
    const release = pods.filter(isTracked).slice(0, maxUncountedPods);
    return { actions: release.length === 0 ? [] : [{ type: "Release", pods: release }] };
  }
  const counts = tally(state);
  const active = pods.filter(isPodActive);
  const suspended = job.spec.suspend === true;
  const before: JobAction[] = [];
  const events: JobAction[] = [];
  let conditions = job.status?.conditions ?? [];
  let { startTime } = job.status ?? {};
  let completionTime = job.status?.completionTime;
  let changes: readonly JobAction[] = [];
  let requeueAfterMs: number | undefined;
  const outcome = outcomeOf(job, counts, active, now);
  const leaving = job.metadata.deletionTimestamp !== undefined;
  if (outcome !== undefined) {
    if (outcome.reason === "PodFailurePolicy" && !conditions.some(({ type }) => type === "FailureTarget")) {
      conditions = [...conditions, condition("FailureTarget", "True", outcome.reason, outcome.message, now)];
    }
    if (active.length > 0) before.push({ type: "DeletePods", pods: active.slice(0, burstPods), counted: true });
    else if (counts.release.length === 0 && settled) {
      // If expectations are not met, created pods may not be in the cache yet and would be left running.
      conditions = [...conditions, condition(outcome.type, "True", outcome.reason, outcome.message, now)];
      if (outcome.type === "Complete") {
        completionTime = formatTime(now);
        events.push({ type: "Event", of: "Normal", reason: "Completed", message: "Job completed" });
      } else events.push({ type: "Event", of: "Warning", reason: outcome.reason, message: outcome.message });
    }
  } else if (settled && !leaving) {
    const known = conditions.find(({ type }) => type === "Suspended");
    if (suspended !== (known?.status === "True")) {
      const [reason, message] = suspended ? ["JobSuspended", "Job suspended"] : ["JobResumed", "Job resumed"];
      conditions = [
        ...conditions.filter((other) => other !== known),
        condition("Suspended", suspended ? "True" : "False", reason, message, now),
      ];
      startTime = suspended ? undefined : formatTime(now);
      events.push({ type: "Event", of: "Normal", reason: suspended ? "Suspended" : "Resumed", message });
    }
    const plan = manage(job, counts, active, pods, now);
    changes = plan.actions;
    requeueAfterMs = plan.requeueAfterMs;
  }
  if (!suspended) startTime ??= formatTime(now);
  const leftMs = deadlineMs({ ...job, status: { ...job.status, startTime } } as Job, now);
  if (leftMs !== undefined && leftMs > 0) requeueAfterMs = Math.min(requeueAfterMs ?? leftMs, leftMs);
  const ready = active.filter(isPodReady).length;
  const status: batch.JobStatus = {
    ...(conditions.length === 0 ? {} : { conditions }),
    ...(startTime === undefined ? {} : { startTime }),
    ...(completionTime === undefined ? {} : { completionTime }),
    ...(active.length === 0 ? {} : { active: active.length }),
    ...(counts.succeeded === 0 ? {} : { succeeded: counts.succeeded }),
    ...(counts.failed === 0 ? {} : { failed: counts.failed }),
    ...(counts.completed.size === 0 ? {} : { completedIndexes: formatIndexes(counts.completed) }),
    uncountedTerminatedPods: {
      ...(counts.uncounted.succeeded.length === 0 ? {} : { succeeded: counts.uncounted.succeeded }),
      ...(counts.uncounted.failed.length === 0 ? {} : { failed: counts.uncounted.failed }),
    },
    ready,
  };
  const actions: JobAction[] = [...before];
  if (!semanticEqual(status, job.status)) actions.push({ type: "UpdateStatus", job: { ...job, status } });
  if (counts.release.length > 0) actions.push({ type: "Release", pods: counts.release });
  actions.push(...events, ...changes);
  return requeueAfterMs === undefined ? { actions } : { actions, requeueAfterMs };
}

/** Creates or deletes pods so that the job has the right number of active ones. */
function manage(job: Job, counts: Tally, active: readonly Pod[], pods: readonly Pod[], now: Date): Plan<JobAction> {
  const { parallelism = 1, completions, suspend } = job.spec;
  const remove = (doomed: readonly Pod[]): Plan<JobAction> => ({
    actions: doomed.length === 0 ? [] : [{ type: "DeletePods", pods: doomed.slice(0, burstPods), counted: false }],
  });
  if (suspend) return remove(active);
  const succeeded = counts.succeeded + counts.uncounted.succeeded.length;
  let wanted = parallelism;
  if (completions !== undefined) wanted = Math.min(parallelism, Math.max(0, completions - succeeded));
  else if (succeeded > 0) wanted = Math.min(active.length, parallelism);
  const taken = new Set<number>();
  const surplus: Pod[] = [];
  const useful: Pod[] = [];
  for (const pod of active) {
    const index = indexOf(pod);
    const fits = index !== undefined && index < (completions ?? 0) && !counts.completed.has(index) && !taken.has(index);
    if (isIndexed(job) && !fits) surplus.push(pod);
    else useful.push(pod);
    if (index !== undefined) taken.add(index);
  }
  if (surplus.length > 0 || useful.length > wanted) {
    // Pods that are not ready are deleted first.
    const sorted = [...useful].sort((a, b) => Number(isPodReady(a)) - Number(isPodReady(b)));
    return remove([...surplus, ...sorted.slice(0, Math.max(0, useful.length - wanted))]);
  }
  const count = Math.min(wanted - useful.length, burstPods);
  if (count <= 0) return { actions: [] };
  const waitMs = backoffMs(pods, now);
  if (waitMs > 0) return { actions: [], requeueAfterMs: waitMs };
  const indexes: (number | undefined)[] = [];
  if (!isIndexed(job)) for (let i = 0; i < count; i++) indexes.push(undefined);
  else {
    for (let index = 0; index < (completions ?? 0) && indexes.length < count; index++) {
      if (!taken.has(index) && !counts.completed.has(index)) indexes.push(index);
    }
  }
  return { actions: indexes.length === 0 ? [] : [{ type: "CreatePods", indexes }] };
}
