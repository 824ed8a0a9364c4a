import { type FieldError, FieldPath, field } from "@orchernetes/apimachinery";
import type { Pod } from "../types/pod.ts";
import { validateImageSpaces } from "./containers.ts";
import { updating, type ValidationContext } from "./context.ts";
import { validatePodAnnotations, validateSeccompAgreement } from "./pod-annotations.ts";
import { validatePodSpec } from "./pod-spec.ts";

const specPath = new FieldPath("spec");

/** Validates a new pod. */
export function validatePod(pod: Pod, ctx: ValidationContext): FieldError[] {
  const errors = validatePodContent(pod, ctx);
  const { spec } = pod;
  if ((spec.ephemeralContainers ?? []).length > 0) {
    errors.push(field.forbidden("spec.ephemeralContainers", "cannot be set on create"));
  }
  if (spec.nodeName && (spec.schedulingGates ?? []).length > 0) {
    const detail = "cannot be set until all schedulingGates have been cleared";
    errors.push(field.forbidden("spec.nodeName", detail));
  }
  errors.push(...validateSeccompAgreement(pod));
  return errors;
}

/**
 * Validates what applies to creates and updates of a pod.
 *
 * @param old the stored pod on updates
 */
export function validatePodContent(pod: Pod, ctx: ValidationContext, old?: Pod): FieldError[] {
  const { spec, metadata } = pod;
  const errors = validatePodAnnotations(pod, old, ctx);
  errors.push(...validatePodSpec(spec, specPath, old === undefined ? ctx : updating(ctx, old.spec), metadata));
  validateTokenProjections(pod, errors);
  validateImageSpaces(spec.containers, specPath.child("containers"), errors);
  validateImageSpaces(spec.initContainers, specPath.child("initContainers"), errors);
  return errors;
}

/** Validates that a pod with token volumes has a service account: a token needs an identity. */
function validateTokenProjections({ spec }: Pod, errors: FieldError[]): void {
  if (spec.serviceAccountName) {
    return;
  }
  for (const [i, { projected }] of (spec.volumes ?? []).entries()) {
    for (const [j, source] of (projected?.sources ?? []).entries()) {
      if (source.serviceAccountToken !== undefined) {
        const at = specPath
          .child("volumes")
          .index(i)
          .child("projected", "sources")
          .index(j)
          .child("serviceAccountToken");
        errors.push(field.forbidden(at, "must not be specified when serviceAccountName is not set"));
      }
    }
  }
}
