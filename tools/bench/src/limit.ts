import type { Measure, Result } from "./row.ts";

/**
 * What a bare Node server answers per second on the machine that the goals were set on: the middle of 39,000 to 45,000.
 */
export const REFERENCE_LIMIT = 42_000;

/** What a bare server answered per second on this machine, at the beginning and at the end of a run. */
export interface Limit {
  readonly before: number;
  readonly after: number;
  /** Of both, or the one that could be measured. */
  readonly mean: number;
}

/** @returns undefined when neither could be measured */
export function limitOf(before: number | undefined, after: number | undefined): Limit | undefined {
  const [first, last] = [before ?? after, after ?? before];
  return first === undefined || last === undefined
    ? undefined
    : { before: first, after: last, mean: (first + last) / 2 };
}

/** Both ends of it in words. */
export function describeLimit({ before, after }: Limit): string {
  const shown = (value: number): string => Math.round(value).toLocaleString("en");
  return `${shown(before)} req/s at the beginning of the run, ${shown(after)} at its end`;
}

/**
 * What a figure would be on the reference machine if it changed as the limit does: rates in proportion, times inversely.
 *
 * @returns undefined where that says nothing: of memory, of the limit itself, or if the run's limit is not known
 */
export function scaledValue({ id, unit }: Measure, value: number, limit: number | undefined): number | undefined {
  if (limit === undefined || unit === "MB" || id === "bare") return undefined;
  const factor = REFERENCE_LIMIT / limit;
  return unit === "s" || unit === "ms" ? value / factor : value * factor;
}

/** The results of a run, each with its limit; that of the limit's own row is the mean. */
export function withLimit(results: readonly Result[], limit: Limit | undefined): readonly Result[] {
  if (limit === undefined) return results;
  return results.map((result) => {
    if (result.measure.id !== "bare") return { ...result, limit: limit.mean };
    const note = [result.note, describeLimit(limit)].filter((text) => text !== "").join("; ");
    return { ...result, value: limit.mean, note, limit: limit.mean };
  });
}
