import { TimeError } from "./time.ts";

const unitNanos: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1000n,
  µs: 1000n,
  μs: 1000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

/** A number and all that follows it up to the next number. */
const part = /(\d+\.?\d*|\.\d+)([^.\d]*)/y;
/** 2^63-1 nanoseconds, about 292 years: the limit of Go's time.Duration. */
const maxNanos = 2n ** 63n - 1n;
const longestText = 128;

/**
 * Parses a duration such as `1h15m`, `300ms`, `-1.5h` or `0`.
 *
 * @returns milliseconds, with fractions; exact up to some 100 days
 * @throws TimeError
 */
export function parseDuration(text: string): number {
  return Number(nanosOf(text)) / 1e6;
}

/** Parses a duration into nanoseconds; smaller fractions are truncated. */
function nanosOf(text: string): bigint {
  const fail = (why: string) => new TimeError(`time: ${why} duration ${JSON.stringify(text.slice(0, 64))}`);
  const negative = text.startsWith("-");
  const body = negative || text.startsWith("+") ? text.slice(1) : text;
  if (body === "0") {
    return 0n;
  }
  if (body === "" || body.length > longestText) {
    throw fail("invalid");
  }
  let total = 0n;
  part.lastIndex = 0;
  for (let end = 0; end < body.length; end = part.lastIndex) {
    const match = part.exec(body);
    if (match === null) {
      throw fail("invalid");
    }
    const [whole = "", fraction = ""] = (match[1] ?? "").split(".");
    const name = match[2] ?? "";
    if (name === "") {
      throw fail("missing unit in");
    }
    const unit = Object.hasOwn(unitNanos, name) ? unitNanos[name] : undefined;
    if (unit === undefined) {
      throw fail(`unknown unit ${JSON.stringify(name)} in`);
    }
    total += BigInt(whole) * unit + (BigInt(fraction) * unit) / 10n ** BigInt(fraction.length);
  }
  if (total > maxNanos) {
    throw fail("invalid");
  }
  return negative ? -total : total;
}

/** The text of a duration in flags and objects: `1h15m0s`, `1m0s`, `1.5s`, `300ms`, `0s`. */
export function formatDuration(ms: number): string {
  return formatNanos(BigInt(Math.round(ms * 1e6)));
}

function formatNanos(signed: bigint): string {
  const nanos = signed < 0n ? -signed : signed;
  const sign = signed < 0n ? "-" : "";
  if (nanos === 0n) {
    return "0s";
  }
  if (nanos < 1000n) {
    return `${sign}${nanos}ns`;
  }
  if (nanos < 1_000_000n) {
    return `${sign}${decimal(nanos, 3)}µs`;
  }
  if (nanos < 1_000_000_000n) {
    return `${sign}${decimal(nanos, 6)}ms`;
  }
  const minutes = nanos / 60_000_000_000n;
  const seconds = decimal(nanos % 60_000_000_000n, 9);
  const hours = minutes / 60n;
  const head = hours > 0n ? `${hours}h${minutes % 60n}m` : minutes > 0n ? `${minutes}m` : "";
  return `${sign}${head}${seconds}s`;
}

/** A whole number divided by a power of ten, exactly. */
function decimal(value: bigint, digits: number): string {
  const unit = 10n ** BigInt(digits);
  const rest = String(value % unit)
    .padStart(digits, "0")
    .replace(/0+$/, "");
  return rest === "" ? String(value / unit) : `${value / unit}.${rest}`;
}

/** The canonical text of a duration. @throws TimeError */
export function canonicalDuration(text: string): string {
  return formatNanos(nanosOf(text));
}

/**
 * An age for tables: `5s`, `2m3s`, `3h`, `2d4h`, `45d`, `2y40d`. It has at most two units, and fewer as it grows. Up
 * to one second in the future is `0s`, because clocks differ; more is `<invalid>`.
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
