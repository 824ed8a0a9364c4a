import {
  type FieldError,
  type FieldPath,
  field,
  type LabelSelector,
  validateLabelSelector,
} from "@orchernetes/apimachinery";
import type { PodTemplateSpec } from "../../core/v1/types/pod-template.ts";
import { updating, type ValidationContext } from "../../core/v1/validation/context.ts";
import { validatePodTemplateSpec } from "../../core/v1/validation/pod-template.ts";
import {
  immutableSelector,
  isEmptySelector,
  isValidSelector,
  printLabelSelector,
  templateMatches,
} from "../../shared/label-selectors.ts";
import { nonNegatives, notAbove } from "../../shared/numbers.ts";
import { validateWorkloadTemplate } from "./pod-template-rules.ts";
import type { ReplicaSet, ReplicaSetSpec, ReplicaSetStatus } from "./types/replica-set.ts";

/** Validates the template of a ReplicaSet or Deployment; `path` is that of the spec. */
export function validateReplicatedTemplate(
  template: PodTemplateSpec,
  selector: LabelSelector | undefined,
  path: FieldPath,
  ctx: ValidationContext,
): FieldError[] {
  // Whether an invalid selector matches the template cannot be checked.
  if (!isValidSelector(selector)) {
    return [field.invalid(path.child("selector"), printLabelSelector(selector), "invalid label selector")];
  }
  const at = path.child("template");
  return [
    ...templateMatches(selector, template.metadata.labels, at.child("metadata", "labels")),
    ...validatePodTemplateSpec(template, at, ctx),
    ...validateWorkloadTemplate(template, "ReplicaSet", at),
  ];
}

/** Validates a ReplicaSet's spec. */
export function validateReplicaSetSpec(spec: ReplicaSetSpec, path: FieldPath, ctx: ValidationContext): FieldError[] {
  const errors: FieldError[] = nonNegatives({ replicas: spec.replicas, minReadySeconds: spec.minReadySeconds }, path);
  const selector = path.child("selector");
  if (spec.selector === undefined || spec.selector === null) {
    errors.push(field.required(selector));
  } else {
    errors.push(...validateLabelSelector(spec.selector, selector));
    if (isEmptySelector(spec.selector)) {
      // The text of Kubernetes 1.27 has "deployment" for ReplicaSets, too.
      const detail = "empty selector is invalid for deployment";
      errors.push(field.invalid(selector, printLabelSelector(spec.selector), detail));
    }
  }
  return [...errors, ...validateReplicatedTemplate(spec.template, spec.selector, path, ctx)];
}

/** Validates an update of a ReplicaSet. */
export function validateReplicaSetUpdate(
  replicaSet: ReplicaSet,
  old: ReplicaSet,
  ctx: ValidationContext,
): FieldError[] {
  const path = field("spec");
  return [
    ...validateReplicaSetSpec(replicaSet.spec, path, updating(ctx, old.spec.template.spec)),
    ...immutableSelector(replicaSet.spec.selector, old.spec.selector, path.child("selector")),
  ];
}

/** Validates a ReplicaSet's status. */
export function validateReplicaSetStatus(status: ReplicaSetStatus): FieldError[] {
  const path = field("status");
  const { replicas, fullyLabeledReplicas, readyReplicas, availableReplicas, observedGeneration } = status;
  return [
    ...nonNegatives({ replicas, fullyLabeledReplicas, readyReplicas, availableReplicas, observedGeneration }, path),
    ...notAbove({ fullyLabeledReplicas, readyReplicas, availableReplicas }, replicas, "status.replicas", path),
    ...notAbove({ availableReplicas }, readyReplicas, "readyReplicas", path),
  ];
}
