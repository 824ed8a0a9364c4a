/**
 * Durations in the notation of Go's `time.Duration`, which flags and configuration files use: `1h2m3.5s`, `300ms`, `-1m`.
 *
 * In code a duration is a number of milliseconds. Fractions of a millisecond are kept.
 *
 * @example
 * ```ts
 * import { formatDuration, parseDuration } from "@orchernetes/config/duration";
 *
 * parseDuration("1m30s"); // 90000
 * parseDuration("90"); // undefined: the unit is missing
 * formatDuration(90_000); // "1m30s"
 * ```
 *
 * @module
 */

/**
 * Milliseconds of each unit. Both spellings of the micro sign are accepted: U+00B5, and the Greek letter mu, U+03BC.
 */
const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** The largest duration in milliseconds: Go counts nanoseconds in 64 bits, and 2^63 - 1 of them are about 292 years. */
const maxMs = 9_223_372_036_854;

/**
 * Parses a duration into milliseconds; undefined when the text is not a duration. A unit is required except for `0`. Durations
 * beyond 64-bit nanoseconds (about 292 years) are not accepted, as in Go's `time.ParseDuration`.
 */
export function parseDuration(text: string): number | undefined {
  const [, sign, body] = /^([+-]?)(.*)$/s.exec(text) ?? [];
  if (body === undefined) return undefined;
  if (body === "0") return 0;
  const part = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/y;
  let total = 0;
  let end = 0;
  for (let match = part.exec(body); match !== null; match = part.exec(body)) {
    total += Number(match[1]) * (unitMs[match[2] ?? ""] ?? Number.NaN);
    end = part.lastIndex;
  }
  // The sticky pattern stops at the first character that is not part of a duration; what remains makes the text
  // invalid.
  if (end === 0 || end !== body.length || !(total <= maxMs)) return undefined;
  const ms = wholeNanoseconds(total);
  return sign === "-" && ms !== 0 ? -ms : ms;
}

/** Rounds to whole nanoseconds, so that sums of fractions are exact: 1.001 s is 1001 ms. Beyond 2^53 ns it is an approximation. */
function wholeNanoseconds(ms: number): number {
  const nanos = ms * 1e6;
  return nanos <= Number.MAX_SAFE_INTEGER ? Math.round(nanos) / 1e6 : ms;
}

/**
 * Returns the canonical text of a duration, as Go's `Duration.String` does: `1m0s`, `1h0m0s`, `300ms`, `1.5s`, `0s`.
 * Below a second the largest unit that gives a number of at least 1 is used; hours are the largest unit.
 *
 * @param ms milliseconds, also negative; rounded to whole nanoseconds
 */
export function formatDuration(ms: number): string {
  if (ms < 0) return `-${formatDuration(-ms)}`;
  if (ms === 0) return "0s";
  const nanos = Math.round(ms * 1e6);
  if (nanos < 1000) return `${nanos}ns`;
  if (nanos < 1_000_000) return `${nanos / 1000}µs`;
  if (nanos < 1_000_000_000) return `${nanos / 1_000_000}ms`;
  const hours = Math.floor(ms / 3_600_000);
  const minutes = Math.floor((ms % 3_600_000) / 60_000);
  const seconds = Number(((ms % 60_000) / 1000).toFixed(9));
  return `${hours > 0 ? `${hours}h` : ""}${hours > 0 || minutes > 0 ? `${minutes}m` : ""}${seconds}s`;
}
