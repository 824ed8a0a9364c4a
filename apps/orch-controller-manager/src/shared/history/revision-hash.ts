import { goJson } from "./go-json.ts";

/** Letters and digits that do not form words. */
const alphabet = "bcdfghjklmnpqrstvwxz2456789";

/**
 * The hash in names and labels of the original's ControllerRevisions: FNV-1 over the data's bytes and the collision
 * count, encoded in characters that are safe in names.
 */
export function revisionHash(data: unknown, collisionCount: number): string {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(`${goJson(data)}${collisionCount}`)) hash = Math.imul(hash, 0x01000193) ^ byte;
  return safeEncode(String(hash >>> 0));
}

/** Maps each character to the alphabet by its code modulo the alphabet's length. */
export function safeEncode(text: string): string {
  let safe = "";
  for (let i = 0; i < text.length; i++) safe += alphabet[text.charCodeAt(i) % alphabet.length];
  return safe;
}
