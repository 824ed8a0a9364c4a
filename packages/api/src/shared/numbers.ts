import { type FieldError, type FieldPath, field, type Path } from "@orchernetes/apimachinery";

/** Validates that a number is 0 or more. An absent number passes. */
export function nonNegative(value: number | undefined, path: Path): FieldError[] {
  return value !== undefined && value < 0 ? [field.invalid(path, value, "must be greater than or equal to 0")] : [];
}

/** Validates that a number is 1 or more. An absent number passes. */
export function positive(value: number | undefined, path: Path): FieldError[] {
  return value !== undefined && value <= 0 ? [field.invalid(path, value, "must be greater than 0")] : [];
}

/** Validates that a number is in `min..max`, both included. An absent number passes. */
export function inRange(value: number | undefined, min: number, max: number, path: Path): FieldError[] {
  return value !== undefined && (value < min || value > max)
    ? [field.invalid(path, value, `must be between ${min} and ${max}, inclusive`)]
    : [];
}

/** Validates that several numbers of one struct are 0 or more each. */
export function nonNegatives(counts: Readonly<Record<string, number | undefined>>, path: FieldPath): FieldError[] {
  return Object.entries(counts).flatMap(([name, count]) => nonNegative(count, path.child(name)));
}

/** Validates that several numbers do not exceed `limit` each. `what` names the limit in the message. */
export function notAbove(
  counts: Readonly<Record<string, number | undefined>>,
  limit: number | undefined,
  what: string,
  path: FieldPath,
): FieldError[] {
  return Object.entries(counts).flatMap(([name, count = 0]) =>
    count > (limit ?? 0) ? [field.invalid(path.child(name), count, `cannot be greater than ${what}`)] : [],
  );
}

/**
 * Validates that a collision count does not decrease: with a lower one the controller would generate a hash again that
 * is known to collide.
 */
export function collisionCountNotDecremented(
  count: number | undefined,
  old: number | undefined,
  path: FieldPath,
): FieldError[] {
  return old !== undefined && old !== null && (count ?? 0) < old
    ? [field.invalid(path.child("collisionCount"), count ?? 0, "cannot be decremented")]
    : [];
}
