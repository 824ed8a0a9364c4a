import { type Condition, type FieldError, type FieldPath, field, isQualifiedName } from "@orchernetes/apimachinery";
import { report } from "./report.ts";

const statuses = ["False", "True", "Unknown"];
const reasonForm = /^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/;
/** Limits of metav1.Condition, in bytes. */
const maxReasonBytes = 1024;
const maxMessageBytes = 32 * 1024;

/**
 * Validates the conditions of a status (API conventions, "Typical status properties"): each type once, with a status, a
 * time of the last transition and a reason in CamelCase. Upstream: `metav1validation.ValidateConditions`.
 */
export function validateConditions(conditions: readonly Condition[] | undefined, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [i, condition] of (conditions ?? []).entries()) {
    const at = path.index(i);
    if (seen.has(condition.type)) errors.push(field.duplicate(at.child("type"), condition.type));
    seen.add(condition.type);
    validateCondition(condition, at, errors);
  }
  return errors;
}

function validateCondition(condition: Condition, path: FieldPath, errors: FieldError[]): void {
  const { type, status, observedGeneration = 0, lastTransitionTime, reason, message } = condition;
  report(errors, isQualifiedName(type), path, "type", type);
  if (!statuses.includes(status)) errors.push(field.notSupported(path.child("status"), status, statuses));
  if (observedGeneration < 0) {
    errors.push(
      field.invalid(path.child("observedGeneration"), observedGeneration, "must be greater than or equal to zero"),
    );
  }
  if (!lastTransitionTime) errors.push(field.required(path.child("lastTransitionTime"), "must be set"));
  if (Buffer.byteLength(reason) > maxReasonBytes)
    errors.push(field.tooLong(path.child("reason"), reason, maxReasonBytes));
  if (reason === "") {
    errors.push(field.required(path.child("reason"), "must be set"));
  } else if (!reasonForm.test(reason)) {
    const detail =
      "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'";
    const example = `(e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')`;
    errors.push(field.invalid(path.child("reason"), reason, `${detail} ${example}`));
  }
  if (Buffer.byteLength(message) > maxMessageBytes)
    errors.push(field.tooLong(path.child("message"), message, maxMessageBytes));
}
