/** Whole numbers from `start` to `end`, both included: addresses or ports. */
export interface Range {
  readonly start: bigint;
  readonly end: bigint;
}

/**
 * The same numbers as disjoint ascending ranges that do not touch each other either: an interval set of the packet
 * filter rejects elements that overlap.
 */
export function mergeRanges(ranges: readonly Range[]): Range[] {
  const merged: Range[] = [];
  for (const range of [...ranges].sort((a, b) => (a.start < b.start ? -1 : a.start > b.start ? 1 : 0))) {
    const last = merged.at(-1);
    if (last === undefined || range.start > last.end + 1n) merged.push(range);
    else if (range.end > last.end) merged[merged.length - 1] = { start: last.start, end: range.end };
  }
  return merged;
}
