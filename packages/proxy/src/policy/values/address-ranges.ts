import { type IpBytes, parseCidr } from "@orchernetes/apimachinery";
import { type Family, familyOf, formatAddress } from "./addresses.ts";
import { mergeRanges, type Range } from "./ranges.ts";

/** The addresses of a block, without its exceptions. */
export interface BlockRanges {
  readonly family: Family;
  /** Disjoint and ascending. Empty if the exceptions leave nothing. */
  readonly ranges: readonly Range[];
}

function numberOf(bytes: IpBytes): bigint {
  return BigInt(`0x${bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("")}`);
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
  const digits = value.toString(16).padStart(family === 4 ? 8 : 32, "0");
  return formatAddress(
    Array.from({ length: digits.length / 2 }, (_, i) => Number.parseInt(digits.slice(2 * i, 2 * i + 2), 16)),
  );
}
