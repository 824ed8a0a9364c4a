import { type Cidr, parseCidr } from "@orchernetes/apimachinery";

/** Ranges of pod addresses, or why they are not usable. */
export type ClusterCidrs = { readonly ranges: readonly Cidr[] } | { readonly error: string };

/**
 * Parses the value of `--cluster-cidr`: no range, one, or one of each family, separated by a comma. Pure.
 */
export function parseClusterCidrs(text: string): ClusterCidrs {
  if (text.trim() === "") return { ranges: [] };
  const ranges: Cidr[] = [];
  for (const part of text.split(",")) {
    const range = parseCidr(part.trim());
    if (range === undefined)
      return { error: `invalid value ${JSON.stringify(part)}; want a range such as 10.244.0.0/16` };
    ranges.push(range);
  }
  const [first, second] = ranges;
  if (ranges.length > 2) return { error: `found ${ranges.length} ranges; want at most 2` };
  if (second !== undefined && first?.address.length === second.address.length) {
    return { error: "found two ranges of one family; want one of each family" };
  }
  return { ranges };
}

/** Whether two ranges of one family have addresses in common, so that one contains the other. */
export function overlaps(a: Cidr, b: Cidr): boolean {
  if (a.address.length !== b.address.length) return false;
  const bits = Math.min(a.bits, b.bits);
  return a.address.every((byte, i) => {
    const own = Math.min(8, Math.max(0, bits - 8 * i));
    const shift = 8 - own;
    return byte >> shift === (b.address[i] ?? 0) >> shift;
  });
}
