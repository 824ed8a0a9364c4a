import { type IpBytes, parseCidr } from "@orchernetes/apimachinery";
import { type Family, familyOf, formatAddress } from "./addresses.ts";
import { mergeRanges, type Range } from "./ranges.ts";

/** The addresses of a block, without its exceptions. */
export interface BlockRanges {
  readonly family: Family;
  /** Disjoint and ascending. Empty if the exceptions leave nothing. */
  readonly ranges: readonly Range[];
}

/** Four bytes at a time: a policy may have tens of thousands of blocks, and arithmetic with large numbers is slow. */
function numberOf(bytes: IpBytes): bigint {
  let value = 0n;
  for (let at = 0; at < bytes.length; at += 4) value = (value << 32n) | BigInt(wordAt(bytes, at));
  return value;
}

function wordAt(bytes: IpBytes, at: number): number {
  const [a = 0, b = 0, c = 0, d = 0] = [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]];
  return ((a << 24) | (b << 16) | (c << 8) | d) >>> 0;
}

function cidrRange(text: string): { readonly family: Family; readonly range: Range } | undefined {
  const cidr = parseCidr(text);
  if (cidr === undefined) return undefined;
  const hostBits = BigInt(cidr.address.length * 8 - cidr.bits);
  const start = (numberOf(cidr.address) >> hostBits) << hostBits;
  return { family: familyOf(cidr.address), range: { start, end: start + (1n << hostBits) - 1n } };
}

/**
 * The addresses that a block of a policy's peer means; undefined if a range is not valid, or if an exception is of the
 * other family. The API server rejects both, so nothing is lost by not guessing what they mean.
 */
export function blockRanges(cidr: string, except: readonly string[] = []): BlockRanges | undefined {
  const whole = cidrRange(cidr);
  if (whole === undefined) return undefined;
  const holes: Range[] = [];
  for (const text of except) {
    const hole = cidrRange(text);
    if (hole === undefined || hole.family !== whole.family) return undefined;
    holes.push(hole.range);
  }
  return { family: whole.family, ranges: without(whole.range, mergeRanges(holes)) };
}

/** What is left of a range without holes, which are disjoint and ascending. */
function without(whole: Range, holes: readonly Range[]): Range[] {
  const left: Range[] = [];
  let start = whole.start;
  for (const hole of holes) {
    if (hole.end < start || hole.start > whole.end) continue;
    if (hole.start > start) left.push({ start, end: hole.start - 1n });
    start = hole.end + 1n;
  }
  if (start <= whole.end) left.push({ start, end: whole.end });
  return left;
}

/** A range of addresses as an element of an interval set: `10.0.0.0-10.0.0.7`, or one address. */
export function addressRangeText(family: Family, { start, end }: Range): string {
  const first = textOf(family, start);
  return start === end ? first : `${first}-${textOf(family, end)}`;
}

function textOf(family: Family, value: bigint): string {
  const bytes: number[] = [];
  for (let shift = family === 4 ? 0n : 96n; shift >= 0n; shift -= 32n) {
    const word = Number((value >> shift) & 0xffff_ffffn);
    bytes.push(word >>> 24, (word >>> 16) & 255, (word >>> 8) & 255, word & 255);
  }
  return formatAddress(bytes);
}
