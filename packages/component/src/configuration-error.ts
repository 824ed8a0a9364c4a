import { TlsMaterialError } from "@orchernetes/tls";

/**
 * Thrown for an invalid configuration. Each line names the flag or file, the value, and what would have been accepted.
 */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
  readonly errors: readonly string[];
  constructor(errors: readonly string[], options?: ErrorOptions) {
    super(errors.join("\n"), options);
    this.errors = errors;
  }
}

/**
 * The lines of an error that the operator has to fix, one for each problem; undefined for any other error. Besides
 * {@link ConfigurationError} these are certificate files that cannot be used, and errors of other packages with
 * `errors`.
 */
export function configurationErrors(error: unknown): readonly string[] | undefined {
  if (error instanceof TlsMaterialError) return [error.message];
  if (!(error instanceof Error) || !("errors" in error) || !Array.isArray(error.errors)) return undefined;
  const errors: readonly unknown[] = error.errors;
  return errors.length > 0 && errors.every((error) => typeof error === "string") ? errors : undefined;
}
