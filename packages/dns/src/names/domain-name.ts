/**
 * Lower case of the letters A to Z alone (RFC 4343): other characters of a name are compared as they are, so that
 * names which differ stay different.
 */
function lowerCase(name: string): string {
  return name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** A name in lower case, without the final dot; the root is "". */
export function normalName(name: string): string {
  const lower = lowerCase(name);
  return lower.endsWith(".") ? lower.slice(0, -1) : lower;
}

/** The part of a name before a zone: "" for the zone itself, undefined outside of it. Both are normal names. */
export function nameInZone(name: string, zone: string): string | undefined {
  if (name === zone) return "";
  return name.endsWith(zone) && name[name.length - zone.length - 1] === "."
    ? name.slice(0, -zone.length - 1)
    : undefined;
}

/** Whether a message can carry the name: labels of 1 to 63 bytes, at most 255 bytes in all (RFC 1035, section 2.3.4). */
export function fitsMessages(name: string): boolean {
  const fits = (label: string) => label !== "" && Buffer.byteLength(label) <= 63;
  return Buffer.byteLength(name) <= 253 && name.split(".").every(fits);
}
