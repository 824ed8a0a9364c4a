/** CPU microseconds an answer on either side, a figure for each round. */
export interface Comparison {
  readonly name: string;
  readonly theirs: readonly number[];
  readonly ours: readonly number[];
}

/** The middle one, the mean of the middle two of an even number; NaN of none. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/**
 * A table with the medians of both sides, their ratio (below 1: this checkout needs less), and the least and the greatest ratio of a
 * round, in which both sides were measured one right after the other.
 */
export function renderComparison(comparisons: readonly Comparison[]): string {
  const rows = comparisons.map(({ name, theirs, ours }) => {
    const ratios = ours.map((value, i) => value / (theirs[i] ?? Number.NaN));
    const range = `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`;
    return `| ${name} | ${micros(theirs)} | ${micros(ours)} | ${median(ratios).toFixed(2)} | ${range} |`;
  });
  return [
    "| work | other, µs of CPU | this, µs of CPU | ratio | of the rounds |",
    "|---|---|---|---|---|",
    ...rows,
  ].join("\n");
}

function micros(values: readonly number[]): string {
  const value = median(values);
  return value < 10 ? value.toFixed(1) : value.toFixed(0);
}
