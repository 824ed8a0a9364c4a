import { type FieldError, type FieldPath, field } from "@orchernetes/apimachinery";

/**
 * Adds one `Invalid` error at `path.child` per message. The path is built only when there is one, which keeps the checks
 * of valid objects cheap.
 */
export function report(
  errors: FieldError[],
  messages: readonly string[],
  path: FieldPath,
  child: string,
  value: unknown,
): void {
  for (const message of messages) {
    errors.push(field.invalid(path.child(child), value, message));
  }
}

/** Adds a `Required` error at `path.child` when the text is empty or absent; returns whether it is present. */
export function requireText(errors: FieldError[], text: string | undefined, path: FieldPath, child: string): boolean {
  if (text === undefined || text === null || text === "") {
    errors.push(field.required(path.child(child)));
    return false;
  }
  return true;
}

/** Adds a `NotSupported` error at `path.child` unless the value is one of `supported` (listed in that order). */
export function requireOneOf(
  errors: FieldError[],
  value: string,
  supported: readonly string[],
  path: FieldPath,
  child: string,
): void {
  if (!supported.includes(value)) {
    errors.push(field.notSupported(path.child(child), value, supported));
  }
}
