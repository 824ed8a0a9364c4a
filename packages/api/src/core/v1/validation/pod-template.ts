import { type FieldError, type FieldPath, field, validateAnnotations, validateLabels } from "@orchernetes/apimachinery";
import type { PodTemplateSpec } from "../types/pod-template.ts";
import type { ValidationContext } from "./context.ts";
import { validatePodSpec } from "./pod-spec.ts";

/**
 * Validates a pod template, whose defaults must have been applied. Templates have no ephemeral containers: these are
 * added to running pods.
 */
export function validatePodTemplateSpec(
  template: PodTemplateSpec,
  path: FieldPath,
  ctx: ValidationContext,
): FieldError[] {
  const { labels, annotations } = template.metadata ?? {};
  const errors: FieldError[] = [];
  if (labels !== undefined) {
    errors.push(...validateLabels(labels, path.child("metadata", "labels")));
  }
  if (annotations !== undefined) {
    errors.push(...validateAnnotations(annotations, path.child("metadata", "annotations")));
  }
  errors.push(...validatePodSpec(template.spec, path.child("spec"), ctx));
  if ((template.spec.ephemeralContainers ?? []).length > 0) {
    const detail = "ephemeral containers not allowed in pod template";
    errors.push(field.forbidden(path.child("spec", "ephemeralContainers"), detail));
  }
  return errors;
}
