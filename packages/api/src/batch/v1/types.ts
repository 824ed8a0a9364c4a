import {
  bool,
  enumeration,
  type Infer,
  int32,
  int64,
  LabelSelector,
  ListMeta,
  list,
  message,
  ObjectMeta,
  object,
  openEnumeration,
  optional,
  pointer,
  required,
  string,
  time,
  value,
} from "@orchernetes/apimachinery";
import { PodTemplateSpec } from "../../core/v1/types/pod-template.ts";
import { ObjectReference } from "../../core/v1/types/references.ts";

const pkg = "batch/v1";

/** Matches failed pods by exit code. Containers that ended with 0 are ignored. */
export const PodFailurePolicyOnExitCodesRequirement = message(pkg, "PodFailurePolicyOnExitCodesRequirement", () => ({
  containerName: pointer(1, string),
  operator: required(2, enumeration("In", "NotIn")),
  values: required(3, list(int32), { list: "set" }),
}));
export interface PodFailurePolicyOnExitCodesRequirement extends Infer<typeof PodFailurePolicyOnExitCodesRequirement> {}

/** Matches failed pods by one of their conditions. */
export const PodFailurePolicyOnPodConditionsPattern = message(pkg, "PodFailurePolicyOnPodConditionsPattern", () => ({
  type: required(1, string),
  status: required(2, openEnumeration("True", "False", "Unknown")),
}));
export interface PodFailurePolicyOnPodConditionsPattern extends Infer<typeof PodFailurePolicyOnPodConditionsPattern> {}

/** One rule about failed pods. It has exactly one of onExitCodes and onPodConditions. */
export const PodFailurePolicyRule = message(pkg, "PodFailurePolicyRule", () => ({
  action: required(1, enumeration("FailJob", "Ignore", "Count")),
  onExitCodes: pointer(2, PodFailurePolicyOnExitCodesRequirement),
  onPodConditions: pointer(3, list(PodFailurePolicyOnPodConditionsPattern)),
}));
export interface PodFailurePolicyRule extends Infer<typeof PodFailurePolicyRule> {}

/** How failed pods affect a Job: the first rule that matches decides. */
export const PodFailurePolicy = message(pkg, "PodFailurePolicy", () => ({
  rules: required(1, list(PodFailurePolicyRule)),
}));
export interface PodFailurePolicy extends Infer<typeof PodFailurePolicy> {}

/** The desired behaviour of a Job. */
export const JobSpec = message(pkg, "JobSpec", () => ({
  parallelism: pointer(1, int32),
  completions: pointer(2, int32),
  activeDeadlineSeconds: pointer(3, int64),
  podFailurePolicy: pointer(11, PodFailurePolicy, { gate: "JobPodFailurePolicy" }),
  backoffLimit: pointer(7, int32),
  selector: pointer(4, LabelSelector),
  manualSelector: pointer(5, bool),
  template: required(6, PodTemplateSpec),
  ttlSecondsAfterFinished: pointer(8, int32),
  completionMode: pointer(9, enumeration("NonIndexed", "Indexed")),
  suspend: pointer(10, bool),
}));
export interface JobSpec extends Infer<typeof JobSpec> {}

/**
 * Runs pods until enough of them have succeeded.
 *
 * Defaults: `parallelism` and `completions` 1, `backoffLimit` 6. Indexed completion: KEP-2214; `suspend`: KEP-2232; tracking by
 * finalizers: KEP-2307; `podFailurePolicy`: KEP-3329; `ttlSecondsAfterFinished`: KEP-592.
 */
export const Job = object(pkg, "Job", () => ({
  metadata: value(1, ObjectMeta),
  spec: value(2, JobSpec),
  status: value(3, JobStatus),
}));
export interface Job extends Infer<typeof Job> {}

export const JobList = object(pkg, "JobList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(Job)),
}));
export interface JobList extends Infer<typeof JobList> {}

/** The progress of a Job: counts of its pods, and its conditions. */
export const JobStatus = message(pkg, "JobStatus", () => ({
  conditions: optional(1, list(JobCondition), { patch: "merge", mergeKey: "type" }),
  startTime: pointer(2, time),
  completionTime: pointer(3, time),
  active: optional(4, int32),
  succeeded: optional(5, int32),
  failed: optional(6, int32),
  completedIndexes: optional(7, string),
  uncountedTerminatedPods: pointer(8, UncountedTerminatedPods),
  ready: pointer(9, int32),
}));
export interface JobStatus extends Infer<typeof JobStatus> {}

/** Pods that have ended and that the counts do not include yet; their finalizers are removed afterwards (KEP-2307). */
export const UncountedTerminatedPods = message(pkg, "UncountedTerminatedPods", () => ({
  succeeded: optional(1, list(string), { list: "set" }),
  failed: optional(2, list(string), { list: "set" }),
}));
export interface UncountedTerminatedPods extends Infer<typeof UncountedTerminatedPods> {}

/** A condition of a Job. */
export const JobCondition = message(pkg, "JobCondition", () => ({
  type: required(1, string),
  status: required(2, openEnumeration("True", "False", "Unknown")),
  lastProbeTime: optional(3, time),
  lastTransitionTime: optional(4, time),
  reason: optional(5, string),
  message: optional(6, string),
}));
export interface JobCondition extends Infer<typeof JobCondition> {}

/** The metadata and spec of the Jobs that a CronJob creates. */
export const JobTemplateSpec = message(pkg, "JobTemplateSpec", () => ({
  metadata: value(1, ObjectMeta),
  spec: value(2, JobSpec),
}));
export interface JobTemplateSpec extends Infer<typeof JobTemplateSpec> {}

/**
 * Creates Jobs on a schedule.
 *
 * Defaults: `concurrencyPolicy` Allow, `suspend` false, history of 3 successful jobs and 1 failed one. Source: KEP-19;
 * `timeZone`: KEP-3140.
 */
export const CronJob = object(pkg, "CronJob", () => ({
  metadata: value(1, ObjectMeta),
  spec: value(2, CronJobSpec),
  status: value(3, CronJobStatus),
}));
export interface CronJob extends Infer<typeof CronJob> {}

export const CronJobList = object(pkg, "CronJobList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(CronJob)),
}));
export interface CronJobList extends Infer<typeof CronJobList> {}

/** The desired behaviour of a CronJob. */
export const CronJobSpec = message(pkg, "CronJobSpec", () => ({
  schedule: required(1, string),
  timeZone: pointer(8, string),
  startingDeadlineSeconds: pointer(2, int64),
  concurrencyPolicy: optional(3, enumeration("Allow", "Forbid", "Replace")),
  suspend: pointer(4, bool),
  jobTemplate: required(5, JobTemplateSpec),
  successfulJobsHistoryLimit: pointer(6, int32),
  failedJobsHistoryLimit: pointer(7, int32),
}));
export interface CronJobSpec extends Infer<typeof CronJobSpec> {}

/** What the cron job controller last did. */
export const CronJobStatus = message(pkg, "CronJobStatus", () => ({
  active: optional(1, list(ObjectReference)),
  lastScheduleTime: pointer(4, time),
  lastSuccessfulTime: pointer(5, time),
}));
export interface CronJobStatus extends Infer<typeof CronJobStatus> {}
