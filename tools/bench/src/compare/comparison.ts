/** CPU microseconds an answer on either side, a figure for each turn or round of one start of both servers. */
export interface PieceFigures {
  readonly name: string;
  readonly theirs: readonly number[];
  readonly ours: readonly number[];
}

/** What one start of both servers showed of a piece. */
interface StartFigures {
  /** Medians, in microseconds. */
  readonly theirs: number;
  readonly ours: number;
  /** The median of the ratios of turns that came one after the other. */
  readonly ratio: number;
}

/** A piece of load, with a figure for each start. The turns of a start are no independent figures: they share its processes. */
export interface Comparison {
  readonly name: string;
  readonly starts: readonly StartFigures[];
}

/** The figures of several starts, which have the same pieces in the same order. */
export function comparisonsOf(starts: readonly (readonly PieceFigures[])[]): readonly Comparison[] {
  const [first = []] = starts;
  return first.map(({ name }, i) => ({ name, starts: starts.flatMap((start) => start[i] ?? []).map(startFigures) }));
}

function startFigures({ theirs, ours }: PieceFigures): StartFigures {
  const ratios = ours.map((value, i) => value / (theirs[i] ?? Number.NaN));
  return { theirs: median(theirs), ours: median(ours), ratio: median(ratios) };
}

/** The middle one, the mean of the middle two of an even number; NaN of none. */
export function median(values: readonly number[]): number {
  const sorted = ascending(values);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/**
 * An interval that contains the true median with a probability of at least 95 %, whatever the distribution: between two of the values,
 * chosen by the binomial distribution (the interval of the sign test). Fewer than six values have none: it is the whole range then.
 */
export function medianInterval(values: readonly number[]): readonly [low: number, high: number] {
  const sorted = ascending(values);
  const count = sorted.length;
  let probability = 0.5 ** count;
  let below = probability;
  let cut = 0;
  while (below <= 0.025 && cut < count >> 1) {
    cut++;
    probability *= (count - cut + 1) / cut;
    below += probability;
  }
  const skipped = Math.max(0, cut - 1);
  return [sorted[skipped] ?? Number.NaN, sorted[count - 1 - skipped] ?? Number.NaN];
}

/**
 * A table with the medians of both sides, the median of the starts' ratios (below 1: this checkout needs less), and the interval that
 * contains the true one with a probability of 95 %.
 */
export function renderComparison(comparisons: readonly Comparison[]): string {
  const rows = comparisons.map(({ name, starts }) => {
    const ratios = starts.map(({ ratio }) => ratio);
    const [low, high] = medianInterval(ratios);
    const theirs = micros(starts.map((start) => start.theirs));
    const ours = micros(starts.map((start) => start.ours));
    return `| ${name} | ${theirs} | ${ours} | ${median(ratios).toFixed(2)} | ${low.toFixed(2)}–${high.toFixed(2)} |`;
  });
  return [
    "| work | other, µs of CPU | this, µs of CPU | ratio | 95 % interval |",
    "|---|---|---|---|---|",
    ...rows,
  ].join("\n");
}

const ascending = (values: readonly number[]): readonly number[] => [...values].sort((a, b) => a - b);

function micros(values: readonly number[]): string {
  const value = median(values);
  return value < 10 ? value.toFixed(1) : value.toFixed(0);
}
