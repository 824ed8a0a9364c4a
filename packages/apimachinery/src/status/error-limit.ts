import type { FieldError } from "./field-error.ts";

/** Errors that a Status lists; there are more than anyone reads. */
export const maxListedErrors = 100;

/** Errors that a validation finds before it is stopped. Far more than are listed: some validators drop errors that they found. */
const maxFoundErrors = 10_000;

interface Validation {
  readonly first: FieldError[];
  count: number;
}

/** Ends a validation that has found enough. */
class EnoughErrors extends Error {
  override readonly name = "EnoughErrors";
  readonly validation: Validation;

  constructor(validation: Validation) {
    super("a validation found more errors than it may");
    this.validation = validation;
  }
}

/** The validation that is going on. Validation never waits for anything. */
let current: Validation | undefined;

/** Counts an error of the validation that is going on. Ends it when there are too many. */
export function countError(error: FieldError): void {
  if (current === undefined) return;
  current.count++;
  if (current.first.length <= maxListedErrors) current.first.push(error);
  if (current.count >= maxFoundErrors) throw new EnoughErrors(current);
}

/**
 * Runs a validation that hostile input cannot make long by being wrong in a million places: it is stopped after ten thousand
 * errors, and gives the first of them then.
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
