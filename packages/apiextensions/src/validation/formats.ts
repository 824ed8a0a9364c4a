import { isIP, isIPv4, isIPv6 } from "node:net";

/** Whether a text has a format. */
export type FormatCheck = (text: string) => boolean;

const matches =
  (pattern: RegExp, most = Number.POSITIVE_INFINITY): FormatCheck =>
  (text) =>
    text.length <= most && pattern.test(text);

const uuid = (version: string): FormatCheck =>
  matches(new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}-?[0-9a-f]{4}-?[0-9a-f]{12}$`, "i"), 36);

/** The digits of a number that is written in groups. */
const digitsOf = (text: string): string => text.replace(/[ -]/g, "");

/** Ten digits, of which the sum weighted by position is divisible by 11; X stands for ten at the end. */
function isIsbn10(text: string): boolean {
  const digits = digitsOf(text);
  if (!/^[0-9]{9}[0-9Xx]$/.test(digits)) return false;
  let sum = 0;
  for (let i = 0; i < 10; i++) sum += (i === 9 && /x/i.test(digits[9] ?? "") ? 10 : Number(digits[i])) * (i + 1);
  return sum % 11 === 0;
}

/** Thirteen digits, alternately times 1 and 3; the sum is divisible by 10. */
function isIsbn13(text: string): boolean {
  const digits = digitsOf(text);
  if (!/^[0-9]{13}$/.test(digits)) return false;
  let sum = 0;
  for (let i = 0; i < 13; i++) sum += Number(digits[i]) * (i % 2 === 0 ? 1 : 3);
  return sum % 10 === 0;
}

/** The Luhn checksum: every second digit from the right counts twice. */
function isCreditCard(text: string): boolean {
  const digits = digitsOf(text);
  if (!/^[0-9]{12,19}$/.test(digits)) return false;
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i]) * (i % 2 === 0 ? 1 : 2);
    sum += digit > 9 ? digit - 9 : digit;
  }
  return sum % 10 === 0;
}

/** A date that exists: JavaScript turns 30 February into 1 or 2 March. */
function isDate(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? [];
  if (year === undefined) return false;
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
}

const time = /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?([Zz]|[+-]\d{2}:?\d{2})?$/;

/** RFC 3339, with leap seconds. The zone may be absent, as in the library that Kubernetes uses. */
function isDateTime(text: string): boolean {
  const [, date = "", hours, minutes, seconds = "0"] = time.exec(text) ?? [];
  return isDate(date) && Number(hours) < 24 && Number(minutes) < 60 && Number(seconds) <= 60;
}

/** Durations as Go writes them (`1h30m`), and in words with one unit (`3 days`). */
const goDuration =
  /^[-+]?(?:0|(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:ns|us|µs|μs|ms|s|m|h)(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:ns|us|µs|μs|ms|s|m|h)){0,16})$/;
const wordDuration =
  /^[0-9]+ ?(?:ns|nanos?|nanoseconds?|us|µs|micros?|microseconds?|ms|millis?|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|wks?|weeks?)$/;

/** A network in CIDR notation (RFC 4632, RFC 4291). Bits of the host may be set. */
function isCidr(text: string): boolean {
  const [, address = "", length = ""] = /^([0-9a-fA-F:.]{2,45})\/([0-9]{1,3})$/.exec(text) ?? [];
  const version = isIP(address);
  return version !== 0 && Number(length) <= (version === 4 ? 32 : 128);
}

const octet = "(?:[01]?[0-9]{1,2}|2[0-4][0-9]|25[0-5])";
const hostname =
  /^(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?){0,126}\.?$/;

/**
 * The formats that are checked, by name. Unknown formats are ignored, as in Kubernetes: JSON Schema allows a format to be documentation only.
 */
export const formats: ReadonlyMap<string, FormatCheck> = new Map([
  ["bsonobjectid", matches(/^[0-9a-f]{24}$/i)],
  ["uri", (text: string) => /^[a-zA-Z][a-zA-Z0-9+.-]*:[^\s]*$/.test(text) || /^\/[^\s]*$/.test(text)],
  ["email", matches(/^[^\s@<>(),;:"[\]\\]{1,64}@[^\s@<>(),;:"\\]{1,255}$/, 320)],
  ["hostname", matches(hostname, 254)],
  ["ipv4", (text: string) => isIPv4(text)],
  ["ipv6", (text: string) => isIPv6(text)],
  ["cidr", isCidr],
  [
    "mac",
    matches(/^(?:[0-9a-f]{2}([:-]))(?:[0-9a-f]{2}\1){4,18}[0-9a-f]{2}$|^(?:[0-9a-f]{4}\.){2,9}[0-9a-f]{4}$/i, 64),
  ],
  ["uuid", uuid("[0-9a-f]{4}")],
  ["uuid3", uuid("3[0-9a-f]{3}")],
  ["uuid4", uuid("4[0-9a-f]{3}")],
  ["uuid5", uuid("5[0-9a-f]{3}")],
  ["isbn", (text: string) => isIsbn10(text) || isIsbn13(text)],
  ["isbn10", isIsbn10],
  ["isbn13", isIsbn13],
  ["creditcard", isCreditCard],
  ["ssn", matches(/^\d{3}[- ]?\d{2}[- ]?\d{4}$/)],
  ["hexcolor", matches(/^#?(?:[0-9a-f]{3}|[0-9a-f]{6})$/i)],
  ["rgbcolor", matches(new RegExp(`^rgb\\(\\s*${octet}\\s*,\\s*${octet}\\s*,\\s*${octet}\\s*\\)$`), 64)],
  ["byte", (text: string) => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text)],
  ["password", () => true],
  ["date", isDate],
  ["duration", (text: string) => text.length <= 128 && (goDuration.test(text) || wordDuration.test(text))],
  ["datetime", isDateTime],
  ["date-time", isDateTime],
]);
