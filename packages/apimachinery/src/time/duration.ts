import { TimeError } from "./time.ts";

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

const part = /(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/y;
/** 2^63-1 nanoseconds: some 292 years. */
const maxMs = 9_223_372_036_854;

/**
 * Parses a duration such as `1h15m`, `300ms`, `-1.5h` or `0`.
 *
 * @returns milliseconds, with fractions
 * @throws TimeError
 */
export function parseDuration(text: string): number {
  const fail = (why: string) => new TimeError(`time: ${why} duration ${JSON.stringify(text.slice(0, 64))}`);
  const negative = text.startsWith("-");
  const body = negative || text.startsWith("+") ? text.slice(1) : text;
  if (body === "0") {
    return 0;
  }
  if (body === "" || body.length > 128) {
    throw fail("invalid");
  }
  let total = 0;
  part.lastIndex = 0;
  for (let end = 0; end < body.length; end = part.lastIndex) {
    const match = part.exec(body);
    if (match === null) {
      throw fail(/\d$/.test(body) ? "missing unit in" : "invalid");
    }
    total += Number(match[1]) * (unitMs[match[2] ?? ""] ?? 0);
  }
  if (total > maxMs) {
    throw fail("invalid");
  }
  return negative ? -total : total;
}

const trim = (value: number, digits: number): string => value.toFixed(digits).replace(/\.?0+$/, "");

/** `1h15m0s`, `1m0s`, `1.5s`, `300ms`, `0s`: durations as flags and objects show them. */
export function formatDuration(ms: number): string {
  const nanos = Math.round(Math.abs(ms) * 1e6);
  const sign = ms < 0 && nanos > 0 ? "-" : "";
  if (nanos === 0) {
    return "0s";
  }
  if (nanos < 1e3) {
    return `${sign}${nanos}ns`;
  }
  if (nanos < 1e6) {
    return `${sign}${decimal(nanos, 1e3, 3)}µs`;
  }
  if (nanos < 1e9) {
    return `${sign}${decimal(nanos, 1e6, 6)}ms`;
  }
  const wholeSeconds = Math.floor(nanos / 1e9);
  const seconds = decimal(nanos - Math.floor(wholeSeconds / 60) * 60e9, 1e9, 9);
  const minutes = Math.floor(wholeSeconds / 60) % 60;
  const hours = Math.floor(wholeSeconds / 3600);
  const head = hours > 0 ? `${hours}h${minutes}m` : minutes > 0 ? `${minutes}m` : "";
  return `${sign}${head}${seconds}s`;
}

function decimal(nanos: number, unit: number, digits: number): string {
  const whole = Math.floor(nanos / unit);
  const rest = nanos - whole * unit;
  return rest === 0 ? String(whole) : `${whole}${trim(rest / unit, digits).slice(1)}`;
}

/** The canonical text of a duration. Throws TimeError. */
export function canonicalDuration(text: string): string {
  return formatDuration(parseDuration(text));
}

/**
 * An age for people: `5s`, `2m3s`, `3h`, `2d4h`, `45d`, `2y40d`. Two units at most, fewer as it grows; up to one second
 * into the future shows as `0s`, more as `<invalid>`.
 */
export function humanDuration(ms: number): string {
  const seconds = Math.trunc(ms / 1000);
  if (seconds < -1) {
    return "<invalid>";
  }
  if (seconds < 120) {
    return `${Math.max(seconds, 0)}s`;
  }
  const minutes = Math.trunc(seconds / 60);
  if (minutes < 10) {
    return two(minutes, "m", seconds % 60, "s");
  }
  if (minutes < 180) {
    return `${minutes}m`;
  }
  const hours = Math.trunc(minutes / 60);
  if (hours < 8) {
    return two(hours, "h", minutes % 60, "m");
  }
  if (hours < 48) {
    return `${hours}h`;
  }
  const days = Math.trunc(hours / 24);
  if (hours < 24 * 8) {
    return two(days, "d", hours % 24, "h");
  }
  if (hours < 24 * 365 * 2) {
    return `${days}d`;
  }
  const years = Math.trunc(days / 365);
  return hours < 24 * 365 * 8 ? two(years, "y", days % 365, "d") : `${years}y`;
}

function two(major: number, majorUnit: string, minor: number, minorUnit: string): string {
  return minor === 0 ? `${major}${majorUnit}` : `${major}${majorUnit}${minor}${minorUnit}`;
}
