import { type Draft, type FieldError, type FieldPath, field, isDns1123Label } from "@orchernetes/apimachinery";
import type { PodTemplateSpec } from "../../core/v1/types/pod-template.ts";
import { updating, type ValidationContext } from "../../core/v1/validation/context.ts";
import { immutable, semanticEqual } from "../../shared/immutable.ts";
import { immutableSelector } from "../../shared/label-selectors.ts";
import { nonNegatives } from "../../shared/numbers.ts";
import { validateGeneratedSelector } from "./job-selector.ts";
import { validateJobSpec } from "./job-spec-validation.ts";
import type { Job, JobSpec, JobStatus } from "./types.ts";

/** Set by older servers on Jobs that they track with finalizers (KEP-2307); clients must not set it. */
const jobTrackingAnnotation = "batch.orchernetes.io/job-tracking";

/** Validates a new Job. */
export function validateJob(job: Job, ctx: ValidationContext): FieldError[] {
  const errors = [...validateGeneratedSelector(job), ...validateJobSpec(job.spec, field("spec"), ctx)];
  if (Object.hasOwn(job.metadata.annotations ?? {}, jobTrackingAnnotation)) {
    const path = field("metadata").child("annotations").key(jobTrackingAnnotation);
    errors.push(field.forbidden(path, "cannot add this annotation"));
  }
  const { completionMode, completions = 0 } = job.spec;
  if (completionMode === "Indexed" && completions > 0) {
    const hostname = `${job.metadata.name ?? ""}-${completions - 1}`;
    if (isDns1123Label(hostname).length > 0) {
      const detail = `will not able to create pod with invalid DNS label: ${hostname}`;
      errors.push(field.invalid(field("metadata").child("name"), job.metadata.name ?? "", detail));
    }
  }
  return errors;
}

/** Validates an update of a Job. */
export function validateJobUpdate(job: Job, old: Job, ctx: ValidationContext): FieldError[] {
  const path = field("spec");
  return [
    ...validateJobSpec(job.spec, path, updating(ctx, old.spec.template.spec)),
    ...validateCompletionsUpdate(job.spec, old.spec, path.child("completions"), ctx),
    ...immutableSelector(job.spec.selector, old.spec.selector, path.child("selector")),
    ...validateTemplateUpdate(job, old, path.child("template")),
    ...immutable(job.spec.completionMode, old.spec.completionMode, path.child("completionMode")),
    ...immutable(job.spec.podFailurePolicy, old.spec.podFailurePolicy, path.child("podFailurePolicy")),
  ];
}

/**
 * Validates a change of completions: only Indexed Jobs can be resized, and only together with their parallelism
 * (KEP-3715).
 */
function validateCompletionsUpdate(spec: JobSpec, old: JobSpec, path: FieldPath, ctx: ValidationContext): FieldError[] {
  const elastic = spec.completionMode === "Indexed" && ctx.featureEnabled("ElasticIndexedJob");
  if (spec.completions === old.completions || !elastic) {
    return immutable(spec.completions, old.completions, path);
  }
  return spec.completions !== undefined && spec.completions !== spec.parallelism
    ? [field.invalid(path, spec.completions, "can only be modified in tandem with spec.parallelism")]
    : [];
}

/** Validates that the template does not change, except for scheduling directives of a Job that has not started. */
function validateTemplateUpdate(job: Job, old: Job, path: FieldPath): FieldError[] {
  const { template } = job.spec;
  // Scheduling directives of a suspended Job may change until its first pod starts (KEP-2926): queueing controllers set
  // them.
  const schedulable = old.spec.suspend === true && old.status.startTime === undefined;
  const expected = schedulable ? withScheduling(old.spec.template, template) : old.spec.template;
  return semanticEqual(template, expected) ? [] : [field.invalid(path, template, "field is immutable")];
}

/** The old template with the labels, annotations and scheduling directives of the new one. */
function withScheduling(old: PodTemplateSpec, template: PodTemplateSpec): PodTemplateSpec {
  const expected = structuredClone(old) as Draft<PodTemplateSpec>;
  const wanted = structuredClone(template) as Draft<PodTemplateSpec>;
  expected.metadata = {
    ...expected.metadata,
    labels: wanted.metadata.labels,
    annotations: wanted.metadata.annotations,
  };
  const { nodeSelector, tolerations, schedulingGates, affinity } = wanted.spec;
  expected.spec = { ...expected.spec, nodeSelector, tolerations, schedulingGates };
  const { nodeAffinity: _old, ...others } = expected.spec.affinity ?? {};
  const nodeAffinity = affinity?.nodeAffinity;
  expected.spec.affinity = nodeAffinity === undefined ? others : { ...others, nodeAffinity };
  return expected;
}

/** Validates a Job's status. */
export function validateJobStatus(status: JobStatus): FieldError[] {
  const path = field("status");
  const { active, succeeded, failed, ready } = status;
  const errors = nonNegatives({ active, succeeded, failed, ready }, path);
  const uncounted = path.child("uncountedTerminatedPods");
  const seen = new Set<string>();
  for (const outcome of ["succeeded", "failed"] as const) {
    for (const [i, uid] of (status.uncountedTerminatedPods?.[outcome] ?? []).entries()) {
      const at = uncounted.child(outcome).index(i);
      if (uid === "") {
        errors.push(field.invalid(at, uid, "must not be empty"));
      } else if (seen.has(uid)) {
        errors.push(field.duplicate(at, uid));
      }
      seen.add(uid);
    }
  }
  return errors;
}
