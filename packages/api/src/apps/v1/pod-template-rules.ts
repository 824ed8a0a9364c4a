import { type FieldError, type FieldPath, field } from "@orchernetes/apimachinery";
import type { PodTemplateSpec } from "../../core/v1/types/pod-template.ts";

/**
 * Validates that pods of workloads in `apps` are always restarted and have no deadline: otherwise controllers would
 * replace them without end.
 */
export function validateWorkloadTemplate(template: PodTemplateSpec, workload: string, path: FieldPath): FieldError[] {
  const spec = path.child("spec");
  const errors: FieldError[] = [];
  if (template.spec.restartPolicy !== "Always") {
    errors.push(field.notSupported(spec.child("restartPolicy"), template.spec.restartPolicy ?? "", ["Always"]));
  }
  if (template.spec.activeDeadlineSeconds !== undefined && template.spec.activeDeadlineSeconds !== null) {
    const detail = `activeDeadlineSeconds in ${workload} is not Supported`;
    errors.push(field.forbidden(spec.child("activeDeadlineSeconds"), detail));
  }
  return errors;
}
