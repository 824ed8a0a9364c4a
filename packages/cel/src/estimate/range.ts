/**
 * The least and the greatest value that a size or a cost can have. Sums and products stop at 2^64, where the unsigned integers of
 * Kubernetes do: nested loops over unlimited lists must not wrap around to a small estimate.
 */
export interface Range {
  readonly min: number;
  readonly max: number;
}

/** The greatest size or cost; all that is larger counts as this. */
export const unlimited = 2 ** 64;

const bounded = (value: number): number => Math.min(unlimited, value);

export const fixed = (value: number): Range => ({ min: value, max: value });
export const zero = fixed(0);
export const one = fixed(1);
/** The size of an unknown value. */
export const unknown: Range = { min: 0, max: unlimited };

/** The cost of parts that are all evaluated. */
export const plus = (...ranges: readonly Range[]): Range => ({
  min: bounded(ranges.reduce((sum, { min }) => sum + min, 0)),
  max: bounded(ranges.reduce((sum, { max }) => sum + max, 0)),
});

/** The cost of a part that is evaluated as often as the other range says. */
export const times = (a: Range, b: Range): Range => ({ min: bounded(a.min * b.min), max: bounded(a.max * b.max) });

/** A range multiplied by a price, rounded up as the runtime does it. */
export const scaled = (range: Range, factor: number): Range => ({
  min: bounded(Math.ceil(range.min * factor)),
  max: bounded(Math.ceil(range.max * factor)),
});

/** The cost of one of two parts when it is not known which. */
export const either = (a: Range, b: Range): Range => ({ min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) });
