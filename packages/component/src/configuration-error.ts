import { TlsMaterialError } from "@orchernetes/tls";

/** Something in the configuration is wrong; each line names the flag or file, the value and what would do. */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
  readonly faults: readonly string[];
  constructor(faults: readonly string[], options?: ErrorOptions) {
    super(faults.join("\n"), options);
    this.faults = faults;
  }
}

/**
 * The lines of an error that the operator has to fix, one for each problem; undefined for any other error. Besides
 * {@link ConfigurationError} these are unusable certificate files, and the errors of other packages that carry `faults`.
 */
export function configurationFaults(error: unknown): readonly string[] | undefined {
  if (error instanceof TlsMaterialError) return [error.message];
  if (!(error instanceof Error) || !("faults" in error) || !Array.isArray(error.faults)) return undefined;
  const faults: readonly unknown[] = error.faults;
  return faults.length > 0 && faults.every((fault) => typeof fault === "string") ? faults : undefined;
}
