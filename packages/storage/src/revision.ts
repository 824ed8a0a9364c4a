import type { Revision } from "./store.ts";

const DECIMAL = /^(?:0|[1-9][0-9]{0,15})$/;

/** Parses a revision; undefined if the text is not a canonical decimal number or not a safe integer (2^53 - 1). */
export function parseRevision(text: string): Revision | undefined {
  if (!DECIMAL.test(text)) return undefined;
  const value = Number(text);
  return Number.isSafeInteger(value) ? (value as Revision) : undefined;
}

/**
 * Brands a number that is known to be a revision.
 *
 * @throws RangeError if it is not a non-negative safe integer.
 */
export function asRevision(value: number): Revision {
  if (!Number.isSafeInteger(value) || value < 0) {
    throw new RangeError(`a revision must be an integer between 0 and 2^53-1, not ${value}`);
  }
  return value as Revision;
}
