import { type FieldError, type FieldPath, field, validateLabelSelector } from "@orchernetes/apimachinery";
import type { ValidationContext } from "../../core/v1/validation/context.ts";
import { validatePodTemplateSpec } from "../../core/v1/validation/pod-template.ts";
import { printLabelSelector, templateMatches } from "../../shared/label-selectors.ts";
import { nonNegatives } from "../../shared/numbers.ts";
import { validatePodFailurePolicy } from "./pod-failure-policy-validation.ts";
import type { JobSpec, JobTemplateSpec } from "./types.ts";

const maxIndexedParallelism = 100_000;

/** Validates a Job's spec, its selector included. */
export function validateJobSpec(spec: JobSpec, path: FieldPath, ctx: ValidationContext): FieldError[] {
  const selector = path.child("selector");
  return [
    ...validateJobSpecBody(spec, path, ctx),
    ...(spec.selector === undefined ? [field.required(selector)] : validateLabelSelector(spec.selector, selector)),
    ...templateMatches(spec.selector, spec.template.metadata.labels, path.child("template", "metadata", "labels")),
  ];
}

/**
 * Validates the Job template of a CronJob: like a Job, but without a selector, which each Job gets when it is created.
 */
export function validateJobTemplate(template: JobTemplateSpec, path: FieldPath, ctx: ValidationContext): FieldError[] {
  const { spec } = template;
  const at = path.child("spec");
  const errors = validateJobSpecBody(spec, at, ctx);
  if (spec.selector !== undefined) {
    const printed = printLabelSelector(spec.selector);
    errors.push(field.invalid(at.child("selector"), printed, "`selector` will be auto-generated"));
  }
  if (spec.manualSelector === true) {
    errors.push(field.notSupported(at.child("manualSelector"), true, ["nil", "false"]));
  }
  return errors;
}

function validateJobSpecBody(spec: JobSpec, path: FieldPath, ctx: ValidationContext): FieldError[] {
  const { parallelism, completions, activeDeadlineSeconds, backoffLimit, ttlSecondsAfterFinished } = spec;
  return [
    ...nonNegatives({ parallelism, completions, activeDeadlineSeconds, backoffLimit, ttlSecondsAfterFinished }, path),
    ...validateCompletionMode(spec, path),
    ...(spec.podFailurePolicy === undefined ? [] : validatePodFailurePolicy(spec, path.child("podFailurePolicy"))),
    ...validatePodTemplateSpec(spec.template, path.child("template"), ctx),
    ...validateRestartPolicy(spec, path.child("template", "spec", "restartPolicy")),
  ];
}

/**
 * Validates the completion mode. Indexed Jobs have a fixed number of completions, and a limit on pods at the same time:
 * their status lists indexes (KEP-2214).
 */
function validateCompletionMode(spec: JobSpec, path: FieldPath): FieldError[] {
  const { completionMode, completions, parallelism } = spec;
  if (completionMode === undefined || completionMode === "NonIndexed") {
    return [];
  }
  if (completionMode !== "Indexed") {
    return [field.notSupported(path.child("completionMode"), completionMode, ["NonIndexed", "Indexed"])];
  }
  const errors: FieldError[] = [];
  if (completions === undefined) {
    errors.push(field.required(path.child("completions"), "when completion mode is Indexed"));
  }
  if (parallelism !== undefined && parallelism > maxIndexedParallelism) {
    const detail = `must be less than or equal to ${maxIndexedParallelism} when completion mode is Indexed`;
    errors.push(field.invalid(path.child("parallelism"), parallelism, detail));
  }
  return errors;
}

function validateRestartPolicy(spec: JobSpec, path: FieldPath): FieldError[] {
  const policy: string = spec.template.spec.restartPolicy ?? "";
  // Always counts as unset: it is the default, and means nothing for pods that are to end.
  if (policy === "Always" || policy === "") {
    return [field.required(path, 'valid values: "OnFailure", "Never"')];
  }
  if (policy !== "OnFailure" && policy !== "Never") {
    return [field.notSupported(path, policy, ["OnFailure", "Never"])];
  }
  return spec.podFailurePolicy !== undefined && policy !== "Never"
    ? [field.invalid(path, policy, 'only "Never" is supported when podFailurePolicy is specified')]
    : [];
}
