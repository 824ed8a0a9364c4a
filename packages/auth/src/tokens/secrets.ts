import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** Known to this process alone, so that nobody can choose tokens whose digests are alike. */
const key = randomBytes(32);

/**
 * The key under which a token is cached or looked up: a digest that differs from process to process, so that the time of a look-up
 * depends neither on the token nor on what a client can compute. Fields are told apart by their lengths.
 */
export function tokenDigest(token: string, audiences: readonly string[] = []): string {
  const digest = createHmac("sha256", key);
  digest.update(`${token.length}:${token}`);
  for (const audience of audiences) digest.update(`${audience.length}:${audience}`);
  return digest.digest("base64");
}

/** Compares in constant time for values of equal length. */
export function isSameSecret(known: Buffer, given: Buffer): boolean {
  return known.length === given.length && timingSafeEqual(known, given);
}
