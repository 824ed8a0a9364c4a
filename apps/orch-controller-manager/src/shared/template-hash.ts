/** Letters and digits that do not form words; the same as in generated names. */
const alphabet = "bcdfghjklmnpqrstvwxz2456789";

/**
 * A short hash of a JSON value that is valid in names and labels. Absent, null and empty members, and the order of
 * members, do not affect it, so that a value has the same hash after the server has stored it. A collision count above
 * 0 gives another hash of the same value.
 */
export function templateHash(value: unknown, collisionCount = 0): string {
  let hash = fnv1a(0x811c9dc5, canonical(value));
  if (collisionCount > 0) hash = fnv1a(hash, String(collisionCount));
  let text = "";
  for (const digit of String(hash)) text += alphabet[Number(digit)];
  return text;
}

function fnv1a(seed: number, text: string): number {
  let hash = seed;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    hash = Math.imul(hash ^ (unit & 0xff), 0x01000193);
    if (unit > 0xff) hash = Math.imul(hash ^ (unit >> 8), 0x01000193);
  }
  return hash >>> 0;
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? "" : `[${value.map(canonical).join()}]`;
  if (typeof value !== "object" || value === null) return value === undefined ? "" : JSON.stringify(value ?? "");
  let text = "";
  const members = value as Readonly<Record<string, unknown>>;
  for (const key of Object.keys(members).sort()) {
    const member = members[key];
    if (member === undefined || member === null) continue;
    const shown = canonical(member);
    if (shown !== "") text += `${text === "" ? "{" : ","}${JSON.stringify(key)}:${shown}`;
  }
  return text === "" ? "" : `${text}}`;
}
