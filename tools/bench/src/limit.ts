import type { Measure, Result } from "./row.ts";

/**
 * Requests per second that a bare Node server answers on the machine for which the goals were set: the middle of 39,000 to 45,000.
 */
export const REFERENCE_LIMIT = 42_000;

/** Requests per second that a bare server answered on this machine, at the beginning and at the end of a run. */
export interface Limit {
  readonly before: number;
  readonly after: number;
  /** The mean of both, or the one that could be measured. */
  readonly mean: number;
}

/** Combines the two measurements. @returns undefined if neither succeeded */
export function limitOf(before: number | undefined, after: number | undefined): Limit | undefined {
  const [first, last] = [before ?? after, after ?? before];
  return first === undefined || last === undefined
    ? undefined
    : { before: first, after: last, mean: (first + last) / 2 };
}

/** Renders the limit with both measurements. */
export function describeLimit({ before, after }: Limit): string {
  const shown = (value: number): string => Math.round(value).toLocaleString("en");
  return `${shown(before)} req/s at the beginning of the run, ${shown(after)} at its end`;
}

/**
 * Estimates a figure for the reference machine, as if it changed with the limit: rates in proportion, times inversely.
 *
 * @returns undefined where this is meaningless: for memory, for shares and counts, for the limit itself, and if the limit of the run is unknown
 */
export function scaledValue({ id, unit }: Measure, value: number, limit: number | undefined): number | undefined {
  if (limit === undefined || unit === "MB" || unit === "%" || unit === "requests" || id === "bare") return undefined;
  const factor = REFERENCE_LIMIT / limit;
  return unit === "s" || unit === "ms" ? value / factor : value * factor;
}

/** Adds the limit to the results of a run; the value of the limit's own row is the mean. */
export function withLimit(results: readonly Result[], limit: Limit | undefined): readonly Result[] {
  if (limit === undefined) return results;
  return results.map((result) => {
    if (result.measure.id !== "bare") return { ...result, limit: limit.mean };
    const note = [result.note, describeLimit(limit)].filter((text) => text !== "").join("; ");
    return { ...result, value: limit.mean, note, limit: limit.mean };
  });
}
