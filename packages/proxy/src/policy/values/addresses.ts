import { type IpBytes, parseIp } from "@orchernetes/apimachinery";

/** The version of the Internet protocol. */
export type Family = 4 | 6;

/** Both. */
export const families: readonly Family[] = [4, 6];

/** An address in a form that is the same for every spelling of it. */
export interface Address {
  readonly family: Family;
  /** Digits, dots, colons and the letters a to f only, so that it can be written into a batch. */
  readonly text: string;
}

/** Reads an IPv4 or IPv6 address; undefined for other text. A mapped IPv6 address is the IPv4 address. */
export function readAddress(text: string): Address | undefined {
  const bytes = parseIp(text);
  return bytes === undefined ? undefined : { family: familyOf(bytes), text: formatAddress(bytes) };
}

/** The family that has addresses of this length. */
export function familyOf(bytes: IpBytes): Family {
  return bytes.length === 4 ? 4 : 6;
}

/** An address as text: dotted numbers, or eight groups without `::`, which nft accepts and which needs no choice. */
export function formatAddress(bytes: IpBytes): string {
  if (bytes.length === 4) return bytes.join(".");
  const groups: string[] = [];
  for (let at = 0; at < bytes.length; at += 2)
    groups.push((((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)).toString(16));
  return groups.join(":");
}
