import {
  bool,
  enumeration,
  type Infer,
  int32,
  int64,
  ListMeta,
  list,
  message,
  ObjectMeta,
  object,
  optional,
  pointer,
  required,
  string,
  time,
  value,
} from "@orchernetes/apimachinery";
import { ObjectReference } from "../../../core/v1/types/references.ts";
import { JobSpec } from "./common.ts";

const pkg = "batch/v1";

export const JobTemplateSpec = message(pkg, "JobTemplateSpec", () => ({
  metadata: value(1, ObjectMeta),
  spec: value(2, JobSpec),
}));
export interface JobTemplateSpec extends Infer<typeof JobTemplateSpec> {}

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

export const CronJobStatus = message(pkg, "CronJobStatus", () => ({
  active: optional(1, list(ObjectReference)),
  lastScheduleTime: pointer(4, time),
  lastSuccessfulTime: pointer(5, time),
}));
export interface CronJobStatus extends Infer<typeof CronJobStatus> {}
