/**
 * A point in the store's history. etcd's revisions have 64 bits, but counting to 2^53 at a million writes per second
 * takes 285 years, so a safe integer represents every one that can occur; {@link parseRevision} rejects anything
 * else.
 */
export type Revision = number & { readonly __brand: "Revision" };

/** No sign and no leading zeros: a revision has exactly one text. */
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
