import { type FieldError, FieldPath, field } from "@orchernetes/apimachinery";
import type { ValidationContext } from "../../../shared/context.ts";
import type { Pod } from "../types/pod.ts";
import { validateImageSpaces } from "./containers.ts";
import { validatePodSpec } from "./pod-spec.ts";

/** Marks a pod as the picture of one that a node runs from a file of its own. */
export const mirrorAnnotation = "orchernetes.io/config.mirror";

const specPath = new FieldPath("spec");
const annotationsPath = new FieldPath("metadata.annotations");

/** Error list of a new pod. */
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
  return errors;
}

/** What holds for a pod at any time. */
export function validatePodContent(pod: Pod, ctx: ValidationContext): FieldError[] {
  const errors: FieldError[] = [];
  const { spec, metadata } = pod;
  if (metadata.annotations !== undefined && Object.hasOwn(metadata.annotations, mirrorAnnotation) && !spec.nodeName) {
    const detail = "must set spec.nodeName if mirror pod annotation is set";
    errors.push(field.invalid(annotationsPath.key(mirrorAnnotation), spec.nodeName ?? "", detail));
  }
  errors.push(...validatePodSpec(spec, specPath, ctx, metadata));
  validateTokenProjections(pod, errors);
  validateImageSpaces(spec.containers, specPath.child("containers"), errors);
  validateImageSpaces(spec.initContainers, specPath.child("initContainers"), errors);
  return errors;
}

/** A token needs an identity to speak for. */
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

/** The mark of mirror pods neither comes nor goes. */
export function validateMirrorUpdate(pod: Pod, old: Pod): FieldError[] {
  const now = pod.metadata.annotations?.[mirrorAnnotation];
  const before = old.metadata.annotations?.[mirrorAnnotation];
  const at = annotationsPath.key(mirrorAnnotation);
  return now === before ? [] : [field.forbidden(at, "may not remove or update mirror pod annotation")];
}
