import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** Known only to this process, so that nobody can choose tokens with similar digests. */
const key = randomBytes(32);

/**
 * Returns the key under which a token is cached or looked up. It is a digest that differs from process to process, so that the time of a
 * look-up depends neither on the token nor on anything that a client can compute. The lengths separate the fields.
 */
export function tokenDigest(token: string, audiences: readonly string[] = []): string {
  const digest = createHmac("sha256", key);
  digest.update(`${token.length}:${token}`);
  for (const audience of audiences) digest.update(`${audience.length}:${audience}`);
  return digest.digest("base64");
}

/** Whether two secrets are equal, compared in constant time for values of equal length. */
export function isSameSecret(known: Buffer, given: Buffer): boolean {
  return known.length === given.length && timingSafeEqual(known, given);
}
