import { type FieldError, field, quantityOf } from "@orchernetes/apimachinery";
import { differences } from "../../../shared/differences.ts";
import { immutable, semanticEqual } from "../../../shared/immutable.ts";
import { validateQuantity, validateResourceList } from "../../../shared/resource-lists.ts";
import { classAnnotation } from "../rules/class-annotation.ts";
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from "../types/persistent-volume-claim.ts";
import { validateClaimSpec } from "./claim-spec.ts";
import type { ValidationContext } from "./context.ts";

const resizeStatuses: readonly string[] = [
  "",
  "ControllerExpansionFailed",
  "ControllerExpansionInProgress",
  "NodeExpansionFailed",
  "NodeExpansionInProgress",
  "NodeExpansionPending",
];

/** Validates a claim; `old` is the stored claim on updates. */
export function validateClaim(
  { spec }: PersistentVolumeClaim,
  ctx: ValidationContext,
  old?: PersistentVolumeClaim,
): FieldError[] {
  const errors: FieldError[] = [];
  validateClaimSpec(spec, old?.spec, field("spec"), ctx, errors);
  return errors;
}

/**
 * Validates an update of a claim. Its spec is immutable, except that:
 *
 * - a volume can be set once (binding);
 * - a class can be set if there was none: a default class that was created later (KEP-3333), or the value of the
 *   annotation;
 * - the request of a bound claim may grow, and a failed expansion may be reduced again (KEP-1790).
 */
export function validateClaimUpdate(
  claim: PersistentVolumeClaim,
  old: PersistentVolumeClaim,
  ctx: ValidationContext,
): FieldError[] {
  const errors = validateClaim(claim, ctx, old);
  let expected: PersistentVolumeClaimSpec = old.spec;
  if (!old.spec.volumeName) {
    expected = { ...expected, volumeName: claim.spec.volumeName };
  }
  const { storageClassName } = claim.spec;
  const before = old.metadata.annotations?.[classAnnotation];
  const after = claim.metadata.annotations?.[classAnnotation];
  const named = old.spec.storageClassName === undefined && storageClassName !== undefined;
  if (named && before === storageClassName && (after === undefined || after === before)) {
    expected = { ...expected, storageClassName };
  } else {
    errors.push(...immutable(after ?? "", before ?? "", field("metadata", "annotations").key(classAnnotation)));
    if (named && before === undefined && ctx.featureEnabled("RetroactiveDefaultStorageClass")) {
      expected = { ...expected, storageClassName };
    }
  }
  const storage = claim.spec.resources?.requests?.storage;
  if (old.status.phase === "Bound" && storage !== undefined) {
    const { resources } = expected;
    expected = { ...expected, resources: { ...resources, requests: { ...resources?.requests, storage } } };
  }
  if (!semanticEqual(claim.spec, expected)) {
    const text = "spec is immutable after creation except resources.requests for bound claims";
    errors.push(field.forbidden("spec", `${text}\n${differences(expected, claim.spec)}`));
  }
  errors.push(...validateShrinking(claim, old, ctx));
  errors.push(...immutable(claim.spec.volumeMode, old.spec.volumeMode, "volumeMode"));
  return errors;
}

/** Validates that the request does not decrease, except to recover from an expansion that failed. */
function validateShrinking(
  { spec }: PersistentVolumeClaim,
  old: PersistentVolumeClaim,
  ctx: ValidationContext,
): FieldError[] {
  const before = quantityOf(old.spec.resources?.requests?.storage ?? "0");
  const after = quantityOf(spec.resources?.requests?.storage ?? "0");
  if (after.cmp(before) >= 0) {
    return [];
  }
  const path = field("spec", "resources", "requests", "storage");
  if (!ctx.featureEnabled("RecoverVolumeExpansionFailure")) {
    return [field.forbidden(path, "field can not be less than previous value")];
  }
  // Volumes do not shrink: a smaller request must still exceed the capacity (KEP-1790).
  const capacity = quantityOf(old.status.capacity?.storage ?? "0");
  return after.cmp(capacity) <= 0 ? [field.forbidden(path, "field can not be less than status.capacity")] : [];
}

/** Validates the status of a claim, as the binder and the resizers write it. */
export function validateClaimStatus({ status }: PersistentVolumeClaim, ctx: ValidationContext): FieldError[] {
  const path = field("status");
  const errors = validateResourceList(status.capacity, path.child("capacity"));
  if (!ctx.featureEnabled("RecoverVolumeExpansionFailure")) {
    return errors;
  }
  const { resizeStatus, allocatedResources } = status;
  if (resizeStatus !== undefined && !resizeStatuses.includes(resizeStatus)) {
    errors.push(field.notSupported(path.child("resizeStatus"), resizeStatus, resizeStatuses));
  }
  const at = path.child("allocatedResources");
  for (const [resource, amount] of Object.entries(allocatedResources ?? {})) {
    if (resource === "storage") {
      errors.push(...validateQuantity(resource, amount, at.key(resource)));
    } else {
      errors.push(field.notSupported(at, resource, ["storage"]));
    }
  }
  return errors;
}
