import { type FieldError, type FieldPath, field, type Path } from "@orchernetes/apimachinery";

/** Error list of a number that must be 0 or more; an absent number passes. */
export function nonNegative(value: number | undefined, path: Path): FieldError[] {
  return value !== undefined && value < 0 ? [field.invalid(path, value, "must be greater than or equal to 0")] : [];
}

/** Error list of a number that must be 1 or more; an absent number passes. */
export function positive(value: number | undefined, path: Path): FieldError[] {
  return value !== undefined && value <= 0 ? [field.invalid(path, value, "must be greater than 0")] : [];
}

/** Error list of a number that must lie in `min..max`, both included; an absent number passes. */
export function inRange(value: number | undefined, min: number, max: number, path: Path): FieldError[] {
  return value !== undefined && (value < min || value > max)
    ? [field.invalid(path, value, `must be between ${min} and ${max}, inclusive`)]
    : [];
}

/** Error lists of several numbers of one struct, each of which must be 0 or more. */
export function nonNegatives(counts: Readonly<Record<string, number | undefined>>, path: FieldPath): FieldError[] {
  return Object.entries(counts).flatMap(([name, count]) => nonNegative(count, path.child(name)));
}

/** Error lists of several numbers that may not exceed `limit`; `what` names the limit in the message. */
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

/** Error list of a collision count, which only ever grows. */
export function collisionCountNotDecremented(
  count: number | undefined,
  old: number | undefined,
  path: FieldPath,
): FieldError[] {
  return old !== undefined && old !== null && (count ?? 0) < old
    ? [field.invalid(path.child("collisionCount"), count ?? 0, "cannot be decremented")]
    : [];
}
