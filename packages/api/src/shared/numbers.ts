import { type FieldError, field, type Path } from "@orchernetes/apimachinery";

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

/** Error list of a port number (1 to 65535). */
export function portNumber(value: number, path: Path): FieldError[] {
  return inRange(value, 1, 65535, path);
}
