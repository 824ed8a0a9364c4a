/** From what to what a size or a cost is; sums and products stay within 64 bits. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

/** What no size or cost is above; in it, larger ones are equal. */
export const unlimited = 2 ** 64;

const bounded = (value: number): number => Math.min(unlimited, value);

export const fixed = (value: number): Range => ({ min: value, max: value });
export const zero = fixed(0);
export const one = fixed(1);
/** Of what nothing is known. */
export const unknown: Range = { min: 0, max: unlimited };

export const plus = (...ranges: readonly Range[]): Range => ({
  min: bounded(ranges.reduce((sum, { min }) => sum + min, 0)),
  max: bounded(ranges.reduce((sum, { max }) => sum + max, 0)),
});

export const times = (a: Range, b: Range): Range => ({ min: bounded(a.min * b.min), max: bounded(a.max * b.max) });

/** So many times as large, rounded up. */
export const scaled = (range: Range, factor: number): Range => ({
  min: bounded(Math.ceil(range.min * factor)),
  max: bounded(Math.ceil(range.max * factor)),
});

export const either = (a: Range, b: Range): Range => ({ min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) });
