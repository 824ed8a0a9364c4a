import { type Draft, defineResource, formatLabelSelector } from "@orchernetes/apimachinery";
import { podWarnings } from "../../core/v1/warnings.ts";
import {
  age,
  booleanColumn,
  column,
  containerImages,
  containerNames,
  name,
  selectorColumn,
  since,
} from "../../shared/columns.ts";
import { allVerbs, subresourceVerbs } from "../../shared/definitions.ts";
import { keep } from "../../shared/drafts.ts";
import { podNameWarnings } from "../../shared/pod-name-warnings.ts";
import { validateCronJob, validateCronJobUpdate } from "./cron-job-validation.ts";
import { defaultJobTemplateBody } from "./job.ts";
import { CronJob } from "./types.ts";

/** Sets the defaults of a CronJob: jobs may overlap; three successful and one failed job are kept. */
function defaultCronJob(cronJob: Draft<CronJob>): void {
  const { spec } = cronJob;
  defaultJobTemplateBody(spec.jobTemplate.spec);
  spec.concurrencyPolicy ||= "Allow";
  spec.suspend ??= false;
  spec.successfulJobsHistoryLimit ??= 3;
  spec.failedJobsHistoryLimit ??= 1;
}

function suspendText(suspend: boolean | undefined): string {
  return suspend === undefined ? "<unset>" : suspend ? "True" : "False";
}

/** `batch/v1` CronJobs: create Jobs on a schedule. */
export const cronJobs = defineResource<CronJob>({
  group: "batch",
  version: "v1",
  kind: "CronJob",
  plural: "cronjobs",
  singular: "cronjob",
  shortNames: ["cj"],
  categories: ["all"],
  scope: "Namespaced",
  verbs: allVerbs,
  schema: CronJob,
  storagePrefix: "/registry/cronjobs",
  applyDefaults: defaultCronJob,
  strategy: {
    prepareForCreate: (cronJob) => {
      cronJob.status = {};
    },
    validate: validateCronJob,
    prepareForUpdate: (cronJob, old) => keep(cronJob, old, "status"),
    validateUpdate: validateCronJobUpdate,
    warnings: (cronJob, old) => [
      ...(old === undefined ? podNameWarnings(cronJob.metadata.name) : []),
      ...podWarnings(cronJob.spec.jobTemplate.spec.template, "spec.jobTemplate.spec.template"),
      ...zoneWarnings(cronJob.spec.schedule),
    ],
    generation: ({ spec }) => spec,
  },
  columns: [
    name(),
    column("Schedule", "string", "Times at which jobs are created.", ({ spec }) => spec.schedule),
    booleanColumn("Suspend", "Whether no new jobs are created.", ({ spec }) => suspendText(spec.suspend)),
    column("Active", "integer", "Number of jobs that run.", ({ status }) => status.active?.length ?? 0),
    column("Last Schedule", "string", "Time since the last job was created.", ({ status }, now) =>
      status.lastScheduleTime === undefined ? "<none>" : since(status.lastScheduleTime, now),
    ),
    age(),
    containerNames(({ spec }) => spec.jobTemplate.spec.template),
    containerImages(({ spec }) => spec.jobTemplate.spec.template),
    selectorColumn(({ spec }) => formatLabelSelector(spec.jobTemplate.spec.selector)),
  ],
  subresources: {
    status: {
      type: "status",
      verbs: subresourceVerbs,
      strategy: { prepareForUpdate: (cronJob, old) => keep(cronJob, old, "spec") },
    },
  },
});

/**
 * Warns about a time zone in the schedule, which was never supported officially. The field `timeZone` replaces it
 * (KEP-3140).
 */
function zoneWarnings(schedule: string): string[] {
  return schedule.includes("TZ") ? ["spec.schedule: cannot use TZ or CRON_TZ in schedule, use timeZone instead"] : [];
}
