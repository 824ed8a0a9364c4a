import type { FieldError } from "./field-error.ts";

/** Maximum number of errors in a Status. */
export const maxListedErrors = 100;

/**
 * Number of errors after which validation stops. It is much higher than the number listed, because some validators
 * drop errors again.
 */
const maxFoundErrors = 10_000;

interface Validation {
  readonly first: FieldError[];
  count: number;
}

/** Thrown to stop a validation that has found too many errors. */
class EnoughErrors extends Error {
  override readonly name = "EnoughErrors";
  readonly validation: Validation;

  constructor(validation: Validation) {
    super("a validation found more errors than it may");
    this.validation = validation;
  }
}

/** The current validation. A module variable suffices, because validation is synchronous. */
let current: Validation | undefined;

/** Counts an error of the current validation, and stops it when there are too many. */
export function countError(error: FieldError): void {
  if (current === undefined) return;
  current.count++;
  if (current.first.length <= maxListedErrors) current.first.push(error);
  if (current.count >= maxFoundErrors) throw new EnoughErrors(current);
}

/**
 * Runs a validation with a limit on errors, so that input with a million errors does not take long: it stops after ten thousand and
 * returns the first ones.
 */
export function withErrorLimit(validate: () => readonly FieldError[]): readonly FieldError[] {
  const outer = current;
  const validation: Validation = { first: [], count: 0 };
  current = validation;
  try {
    return validate();
  } catch (error) {
    if (error instanceof EnoughErrors && error.validation === validation) return validation.first;
    throw error;
  } finally {
    current = outer;
  }
}
