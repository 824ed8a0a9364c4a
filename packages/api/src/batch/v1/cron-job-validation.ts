import { type FieldError, type FieldPath, field } from "@orchernetes/apimachinery";
import { updating, type ValidationContext } from "../../core/v1/validation/context.ts";
import { nonNegatives } from "../../shared/numbers.ts";
import { CronScheduleError, isTimeZone, parseCronSchedule } from "./cron-schedule.ts";
import { validateJobTemplate } from "./job-spec-validation.ts";
import type { CronJob, CronJobSpec } from "./types.ts";

/** The name of a job is the CronJob's name, a dash and ten digits, and must have at most 63 characters. */
const maxNameLength = 52;
const policies = ["Allow", "Forbid", "Replace"];

/** Validates a new CronJob. */
export function validateCronJob(cronJob: CronJob, ctx: ValidationContext): FieldError[] {
  const errors = validateCronJobSpec(cronJob.spec, undefined, field("spec"), ctx);
  const name = cronJob.metadata.name ?? "";
  if (name.length > maxNameLength) {
    errors.push(field.invalid(field("metadata").child("name"), name, "must be no more than 52 characters"));
  }
  return errors;
}

/** Validates an update of a CronJob. */
export function validateCronJobUpdate(cronJob: CronJob, old: CronJob, ctx: ValidationContext): FieldError[] {
  return validateCronJobSpec(
    cronJob.spec,
    old.spec,
    field("spec"),
    updating(ctx, old.spec.jobTemplate.spec.template.spec),
  );
}

function validateCronJobSpec(
  spec: CronJobSpec,
  old: CronJobSpec | undefined,
  path: FieldPath,
  ctx: ValidationContext,
): FieldError[] {
  const { startingDeadlineSeconds, successfulJobsHistoryLimit, failedJobsHistoryLimit } = spec;
  const keptZone = old?.schedule.includes("TZ") ?? false;
  return [
    ...validateSchedule(spec, keptZone, path.child("schedule")),
    ...nonNegatives({ startingDeadlineSeconds }, path),
    ...(spec.timeZone === undefined ? [] : validateTimeZone(spec.timeZone, path.child("timeZone"))),
    ...validateConcurrencyPolicy(spec.concurrencyPolicy, path.child("concurrencyPolicy")),
    ...validateJobTemplate(spec.jobTemplate, path.child("jobTemplate"), ctx),
    ...nonNegatives({ successfulJobsHistoryLimit, failedJobsHistoryLimit }, path),
  ];
}

/**
 * Validates the schedule. A time zone in it is accepted only if the stored one had it, as it has never been a
 * documented feature (KEP-3140).
 */
function validateSchedule({ schedule, timeZone }: CronJobSpec, keptZone: boolean, path: FieldPath): FieldError[] {
  if (schedule === "") {
    return [field.required(path)];
  }
  const errors: FieldError[] = [];
  try {
    parseCronSchedule(schedule);
  } catch (error) {
    if (!(error instanceof CronScheduleError)) {
      throw error;
    }
    errors.push(field.invalid(path, schedule, error.message));
  }
  if (schedule.includes("TZ")) {
    if (!keptZone) {
      const detail = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead";
      errors.push(field.invalid(path, schedule, detail));
    } else if (timeZone !== undefined) {
      errors.push(field.invalid(path, schedule, "cannot use both timeZone field and TZ or CRON_TZ in schedule"));
    }
  }
  return errors;
}

const zonePart = /^[A-Za-z._0-9+-]{1,14}$/;

/** Validates an IANA name. "Local" would be the zone of the server, which clients cannot know. */
function validateTimeZone(timeZone: string, path: FieldPath): FieldError[] {
  if (timeZone === "") {
    return [field.invalid(path, timeZone, "timeZone must be nil or non-empty string")];
  }
  const unknown = field.invalid(path, timeZone, `unknown time zone ${timeZone}`);
  const badPart = (part: string): boolean =>
    part === "." || part === ".." || part.startsWith("-") || !zonePart.test(part);
  if (timeZone.split("/").some(badPart)) {
    return [unknown];
  }
  if (timeZone.toLowerCase() === "local") {
    const detail = "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones";
    return [field.invalid(path, timeZone, detail)];
  }
  return isTimeZone(timeZone) ? [] : [unknown];
}

function validateConcurrencyPolicy(policy: string | undefined, path: FieldPath): FieldError[] {
  if (policy === undefined || policy === "") {
    return [field.required(path)];
  }
  return policies.includes(policy) ? [] : [field.notSupported(path, policy, policies)];
}
