import { type FieldError, field, quantityOf } from "@orchernetes/apimachinery";
import { differences } from "../../../shared/differences.ts";
import { immutable, semanticEqual } from "../../../shared/immutable.ts";
import { classAnnotation } from "../access-modes.ts";
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from "../types/persistent-volume-claim.ts";
import { validateClaimSpec } from "./claim-spec.ts";

/** Error list of a claim. */
export function validateClaim({ spec }: PersistentVolumeClaim): FieldError[] {
  const errors: FieldError[] = [];
  validateClaimSpec(spec, field("spec"), errors);
  return errors;
}

/**
 * Error list of a change to a claim. It is what it is: a volume may be named once, a class once if there was none, and a
 * bound claim may ask for more.
 */
export function validateClaimUpdate(claim: PersistentVolumeClaim, old: PersistentVolumeClaim): FieldError[] {
  const errors = validateClaim(claim);
  let expected: PersistentVolumeClaimSpec = old.spec;
  if (!old.spec.volumeName) {
    expected = { ...expected, volumeName: claim.spec.volumeName };
  }
  const classNamed = old.metadata.annotations?.[classAnnotation] !== undefined;
  if (old.spec.storageClassName === undefined && !classNamed && claim.spec.storageClassName !== undefined) {
    expected = { ...expected, storageClassName: claim.spec.storageClassName };
  }
  const before = old.spec.resources?.requests?.storage;
  const after = claim.spec.resources?.requests?.storage;
  if (old.status.phase === "Bound" && before !== undefined && after !== undefined && before !== after) {
    if (quantityOf(after).cmp(quantityOf(before)) < 0) {
      const capacity = old.status.capacity?.storage;
      if (capacity === undefined || quantityOf(after).cmp(quantityOf(capacity)) <= 0) {
        errors.push(field.forbidden("spec.resources.requests.storage", "field can not be less than previous value"));
      }
    }
    const { resources } = expected;
    expected = { ...expected, resources: { ...resources, requests: { ...resources?.requests, storage: after } } };
  }
  if (!semanticEqual(claim.spec, expected)) {
    const text = "spec is immutable after creation except resources.requests for bound claims";
    errors.push(field.forbidden("spec", `${text}\n${differences(expected, claim.spec)}`));
  }
  errors.push(...immutable(claim.spec.volumeMode, old.spec.volumeMode, "volumeMode"));
  return errors;
}
