import { type IpBytes, parseCidr, parseIp } from "@orchernetes/apimachinery";

/** Family of an address, as in `ipFamilies` and `addressType`. */
export type IpFamily = "IPv4" | "IPv6";

/** An address in the one form that RFC 5952 gives it, so that equal addresses are equal texts. */
export interface Address {
  readonly family: IpFamily;
  readonly text: string;
}

/** A range of addresses. */
export interface AddressRange {
  readonly family: IpFamily;
  /** With no bits beyond the prefix, such as `10.0.0.0/8`. */
  readonly text: string;
  readonly bytes: IpBytes;
  readonly bits: number;
}

/** Reads an address. Undefined for other text. */
export function readAddress(text: string): Address | undefined {
  const bytes = parseIp(text);
  return bytes === undefined ? undefined : { family: familyOf(bytes), text: addressText(bytes) };
}

/** The addresses of one family among texts, without repetitions and other texts. */
export function addressesOf(texts: readonly (string | undefined)[], family: IpFamily): readonly string[] {
  const found = texts.map((text) => readAddress(text ?? "")).filter((address) => address?.family === family);
  return [...new Set(found.map((address) => address?.text ?? ""))];
}

/**
 * The ranges of one family among texts in CIDR notation in ascending order, without other texts and without ranges inside of
 * others: a set of intervals rejects those.
 */
export function rangesOf(texts: readonly string[], family: IpFamily): readonly AddressRange[] {
  const ranges = texts.flatMap((text) => readRange(text.trim()) ?? []).filter((range) => range.family === family);
  const found: AddressRange[] = [];
  // Two ranges are disjoint, or one is inside of the other: in this order those inside follow the range that they are in.
  for (const range of ranges.sort((a, b) => compareBytes(a.bytes, b.bytes) || a.bits - b.bits)) {
    const last = found.at(-1);
    if (last === undefined || !rangeContains(last, range.bytes)) found.push(range);
  }
  return found;
}

function compareBytes(a: IpBytes, b: IpBytes): number {
  const at = a.findIndex((byte, i) => byte !== b[i]);
  return (a[at] ?? 0) - (b[at] ?? 0);
}

/** Whether an address, as bytes, is in a range of its family. */
export function rangeContains({ bytes, bits }: AddressRange, address: IpBytes): boolean {
  return masked(address, bits).every((byte, i) => byte === bytes[i]);
}

function readRange(text: string): AddressRange | undefined {
  const cidr = parseCidr(text);
  if (cidr === undefined) return undefined;
  const bytes = masked(cidr.address, cidr.bits);
  return { family: familyOf(bytes), text: `${addressText(bytes)}/${cidr.bits}`, bytes, bits: cidr.bits };
}

const familyOf = (bytes: IpBytes): IpFamily => (bytes.length === 4 ? "IPv4" : "IPv6");

const masked = (bytes: IpBytes, bits: number): IpBytes =>
  bytes.map((byte, i) => byte & (0xff00 >> Math.min(8, Math.max(0, bits - i * 8))));

function addressText(bytes: IpBytes): string {
  if (bytes.length === 4) return bytes.join(".");
  const groups = Array.from({ length: 8 }, (_, i) =>
    (((bytes[2 * i] ?? 0) << 8) | (bytes[2 * i + 1] ?? 0)).toString(16),
  );
  const text = groups.join(":");
  // The longest run of at least two zero groups, the first of equal ones, is written as "::".
  const runs = text.match(/(?<![0-9a-f])0(:0)+(?![0-9a-f])/g) ?? [];
  const longest = runs.reduce((best, run) => (run.length > best.length ? run : best), "");
  if (longest === "") return text;
  const at = new RegExp(`(?<![0-9a-f])${longest}(?![0-9a-f])`).exec(text)?.index ?? 0;
  const before = text.slice(0, at).replace(/:$/, "");
  const after = text.slice(at + longest.length).replace(/^:/, "");
  return `${before}::${after}`;
}
