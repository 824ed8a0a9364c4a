import { type IpBytes, parseIp } from "@orchernetes/apimachinery";

/** One text for each address, whatever its spelling: for maps by address. IPv6 has eight groups without compression. */
export function addressText(bytes: IpBytes): string {
  if (bytes.length === 4) return bytes.join(".");
  const groups: string[] = [];
  for (let at = 0; at < bytes.length; at += 2) {
    groups.push((((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)).toString(16));
  }
  return groups.join(":");
}

/** {@link addressText} of an address as objects spell it; undefined for other text. */
export function canonicalAddress(text: string): string | undefined {
  const bytes = parseIp(text);
  return bytes === undefined ? undefined : addressText(bytes);
}

/**
 * The address that a pod's or an endpoint's label stands for, such as `10-1-2-3` or `fd00--1`: dashes in place of dots
 * or colons (DNS specification 2.2.1 and 2.4.1). Undefined for other labels.
 */
export function addressOfLabel(label: string): IpBytes | undefined {
  const isV4 = label.split("-").length === 4 && !label.includes("--");
  return parseIp(label.replaceAll("-", isV4 ? "." : ":"));
}

/** The label of an address: dashes in place of dots or colons. */
export const labelOfAddress = (address: string): string => address.replaceAll(/[.:]/g, "-");

/** A name below `in-addr.arpa` or `ip6.arpa`: the start of an address, or a whole one. */
export interface ReverseName {
  readonly family: 4 | 6;
  /** Bytes of the address from the left; of IPv6 names with an odd number of digits the last half byte is left out. */
  readonly bytes: IpBytes;
  /** Number of bits that the name fixes: 32 or 128 for a whole address. */
  readonly bits: number;
}

const octet = /^(0|[1-9][0-9]{0,2})$/;
const digit = /^[0-9a-f]$/;

/** Reads a name of a reverse zone in lower case; undefined for names elsewhere and for those of no address. */
export function parseReverseName(name: string): ReverseName | undefined {
  const labels = name.split(".").reverse();
  if (labels[0] !== "arpa") return undefined;
  const parts = labels.slice(2);
  if (labels[1] === "in-addr") {
    const valid = parts.length <= 4 && parts.every((part) => octet.test(part) && Number(part) < 256);
    return valid ? { family: 4, bytes: parts.map(Number), bits: parts.length * 8 } : undefined;
  }
  if (labels[1] !== "ip6" || parts.length > 32 || !parts.every((part) => digit.test(part))) return undefined;
  const bytes: number[] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) bytes.push(Number.parseInt(`${parts[at]}${parts[at + 1]}`, 16));
  return { family: 6, bytes, bits: parts.length * 4 };
}
