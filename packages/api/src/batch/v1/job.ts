import { type Draft, defineResource, formatLabelSelector, humanDuration } from "@orchernetes/apimachinery";
import { defaultPodTemplateSpec } from "../../core/v1/defaults/pod-spec.ts";
import { podWarnings } from "../../core/v1/warnings.ts";
import { age, column, containerImages, containerNames, name, selectorColumn } from "../../shared/columns.ts";
import { allVerbs, subresourceVerbs } from "../../shared/definitions.ts";
import { keep } from "../../shared/drafts.ts";
import { podNameWarnings } from "../../shared/pod-name-warnings.ts";
import { generateJobSelector } from "./job-selector.ts";
import { validateJob, validateJobStatus, validateJobUpdate } from "./job-validation.ts";
import { Job, type JobSpec } from "./types.ts";

/**
 * Sets the defaults of a Job: one pod at a time, one completion, six retries; labels of the template if it has none.
 */
function defaultJob(job: Draft<Job>): void {
  const { spec } = job;
  defaultJobTemplateBody(spec);
  if (spec.completions === undefined && spec.parallelism === undefined) {
    spec.completions = 1;
  }
  spec.parallelism ??= 1;
  spec.backoffLimit ??= 6;
  spec.completionMode ??= "NonIndexed";
  spec.suspend ??= false;
  copyTemplateLabels(job);
}

/** Sets the defaults that Jobs and Job templates of CronJobs have in common. */
export function defaultJobTemplateBody(spec: Draft<JobSpec>): void {
  defaultPodTemplateSpec(spec.template);
  for (const rule of spec.podFailurePolicy?.rules ?? []) {
    for (const pattern of rule.onPodConditions ?? []) {
      pattern.status ||= "True";
    }
  }
}

function copyTemplateLabels(job: Draft<Job>): void {
  const labels = job.spec.template.metadata.labels ?? {};
  if (Object.keys(job.metadata.labels ?? {}).length === 0 && Object.keys(labels).length > 0) {
    job.metadata.labels = { ...labels };
  }
}

function completionsText({ spec, status }: Job): string {
  const succeeded = status.succeeded ?? 0;
  if (spec.completions !== undefined) {
    return `${succeeded}/${spec.completions}`;
  }
  const parallelism = spec.parallelism ?? 0;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function durationText({ status }: Job, now: Date): string {
  if (status.startTime === undefined) {
    return "";
  }
  const end = status.completionTime === undefined ? now.getTime() : Date.parse(status.completionTime);
  return humanDuration(end - Date.parse(status.startTime));
}

/** `batch/v1` Jobs: pods that run until enough of them have succeeded. */
export const jobs = defineResource<Job>({
  group: "batch",
  version: "v1",
  kind: "Job",
  plural: "jobs",
  singular: "job",
  categories: ["all"],
  scope: "Namespaced",
  verbs: allVerbs,
  schema: Job,
  storagePrefix: "/registry/jobs",
  applyDefaults: defaultJob,
  strategy: {
    prepareForCreate: (job) => {
      job.status = {};
      generateJobSelector(job);
      copyTemplateLabels(job);
    },
    validate: validateJob,
    prepareForUpdate: (job, old) => keep(job, old, "status"),
    validateUpdate: validateJobUpdate,
    warnings: (job, old) => [
      ...(old === undefined ? podNameWarnings(job.metadata.name) : []),
      ...podWarnings(job.spec.template, "spec.template"),
    ],
    generation: ({ spec }) => spec,
    // In this version pods survive their Job unless the client requests otherwise.
    defaultPropagation: "orphan",
  },
  columns: [
    name(),
    column("Completions", "string", "Pods that succeeded, of the required ones.", completionsText),
    column("Duration", "string", "Time from the first pod to completion, or until now.", durationText),
    age(),
    containerNames(({ spec }) => spec.template),
    containerImages(({ spec }) => spec.template),
    selectorColumn(({ spec }) => formatLabelSelector(spec.selector)),
  ],
  fieldSelectors: ["status.successful"],
  selectableFields: ({ status }) => ({ "status.successful": String(status.succeeded ?? 0) }),
  subresources: {
    status: {
      type: "status",
      verbs: subresourceVerbs,
      strategy: {
        prepareForUpdate: (job, old) => keep(job, old, "spec"),
        validateUpdate: ({ status }) => validateJobStatus(status),
      },
    },
  },
});
