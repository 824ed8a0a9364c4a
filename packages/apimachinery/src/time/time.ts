/** The text is not a time or duration of the API. */
export class TimeError extends Error {
  override readonly name = "TimeError";
}

const rfc3339 = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:[.,](\d+))?(?:Z|([+-])(\d{2}):(\d{2}))$/;
const daysInMonth = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

function isLeap(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

/** An instant: whole seconds since 1970 (may be negative) and nanoseconds within the second. */
export interface Instant {
  readonly seconds: number;
  readonly nanos: number;
}

/**
 * Parses RFC 3339 with any offset and fraction.
 *
 * @throws TimeError
 */
export function parseInstant(text: string): Instant {
  const match = text.length <= 64 ? rfc3339.exec(text) : null;
  if (match === null) {
    throw new TimeError(
      `parsing time ${JSON.stringify(text.slice(0, 64))}: want RFC 3339, such as "2006-01-02T15:04:05Z"`,
    );
  }
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const lastDay = month === 2 && isLeap(year) ? 29 : (daysInMonth[month - 1] ?? 0);
  const offsetHours = Number(match[9] ?? 0);
  const offsetMinutes = Number(match[10] ?? 0);
  if (day < 1 || day > lastDay || hour > 23 || minute > 59 || second > 59 || offsetHours > 24 || offsetMinutes > 59) {
    throw new TimeError(`parsing time ${JSON.stringify(text)}: a part of it is out of range`);
  }
  const utc = new Date(0);
  utc.setUTCFullYear(year, month - 1, day);
  utc.setUTCHours(hour, minute, second);
  const offset = (offsetHours * 60 + offsetMinutes) * 60 * (match[8] === "-" ? -1 : 1);
  const nanos = Number((match[7] ?? "").slice(0, 9).padEnd(9, "0"));
  return { seconds: utc.getTime() / 1000 - offset, nanos };
}

/**
 * Parses RFC 3339; fractions of a millisecond are truncated.
 *
 * @throws TimeError
 */
export function parseTime(text: string): Date {
  const { seconds, nanos } = parseInstant(text);
  return new Date(seconds * 1000 + Math.floor(nanos / 1e6));
}

/** The form of times in the API: `2006-01-02T15:04:05Z`. Fractions of the second are truncated. */
export function formatTime(time: Date): string {
  return `${time.toISOString().slice(0, -5)}Z`;
}

/** The form of precise times in the API: `2006-01-02T15:04:05.000000Z`. */
export function formatMicroTime(time: Date): string {
  return `${time.toISOString().slice(0, -1)}000Z`;
}

/** The time in UTC with whole seconds, as it is stored. @throws TimeError */
export function canonicalTime(text: string): string {
  // The usual form needs only a check of its parts.
  const { seconds } = parseInstant(text);
  return text.length === 20 && text.endsWith("Z") ? text : within(text, seconds, "");
}

/** The time in UTC with six decimals, as it is stored. @throws TimeError */
export function canonicalMicroTime(text: string): string {
  const { seconds, nanos } = parseInstant(text);
  return within(text, seconds, `.${String(nanos).padStart(9, "0").slice(0, 6)}`);
}

function within(text: string, seconds: number, fraction: string): string {
  const iso = new Date(seconds * 1000).toISOString();
  if (iso.length !== 24) {
    throw new TimeError(`time ${JSON.stringify(text)} lies outside the years 0000 to 9999`);
  }
  return `${iso.slice(0, 19)}${fraction}Z`;
}
