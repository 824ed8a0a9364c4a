import { callLibrary, offsetOf } from "../values/library-call.ts";
import { Failure, isTime, nanosOfDuration, type Outcome, type Value } from "../values/value.ts";

type Conversion = (...args: readonly Value[]) => Outcome;

const nanosPerSecond = 1_000_000_000n;

/** A length of time as protocol buffers write it in JSON: in seconds, `-1.5s`, without zeros at the end. */
function durationText(nanos: bigint): string {
  const size = nanos < 0n ? -nanos : nanos;
  const fraction = String(size % nanosPerSecond)
    .padStart(9, "0")
    .replace(/0+$/, "");
  return `${nanos < 0n ? "-" : ""}${size / nanosPerSecond}${fraction === "" ? "" : `.${fraction}`}s`;
}

/** From the first second of the year 1 to the last one of 9999: the range of google.protobuf.Timestamp. */
const [firstSecond, lastSecond] = [-62_135_596_800n, 253_402_300_799n];

/** A time from the seconds since 1970. */
function timestampOf(seconds: bigint): Outcome {
  if (seconds < firstSecond || seconds > lastSecond) return new Failure("timestamp overflow");
  return callLibrary("timestamp", undefined, [new Date(Number(seconds) * 1000).toISOString()]);
}

/** A number as Go's `%g` writes it: the shortest text that is read as the same number. */
function doubleText(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  if (value === 0) return Object.is(value, -0) ? "-0" : "0";
  const [digits = "", exponent = ""] = value.toExponential().split("e");
  const power = Number(exponent);
  if (power >= -4 && power < 6)
    return power < 0 ? value.toFixed(digits.replace(/\D/g, "").length - 1 - power) : String(value);
  return `${digits}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}

/** A point in time without zeros at the end of its fraction, and at the offset from UTC at which it was written. */
function timeText(text: string, offset: string | undefined): string {
  const [, second = "", fraction = ""] = /^(.{19})(?:\.(\d*?)0*)?Z$/.exec(text) ?? [];
  const rest = fraction === "" ? "" : `.${fraction}`;
  if (offset === undefined) return `${second}${rest}Z`;
  const minutes = Number(offset.slice(1, 3)) * 60 + Number(offset.slice(4));
  const local = new Date(Date.parse(`${second}Z`) + (offset.startsWith("-") ? -minutes : minutes) * 60_000);
  return `${local.toISOString().slice(0, 19)}${rest}${offset}`;
}

/** `string(x)`. Numbers, times and bytes are written as Go does, since rules compare the result with constants. */
function textOf(value: Value): Outcome {
  if (typeof value === "number") return doubleText(value);
  const nanos = nanosOfDuration(value);
  if (nanos !== undefined) return durationText(nanos);
  const text = callLibrary("string", undefined, [value]);
  if (isTime(value) && typeof text === "string") return timeText(text, offsetOf(value));
  if (value instanceof Uint8Array && text instanceof Failure)
    return new Failure("invalid UTF-8 in bytes, cannot convert to string");
  return text;
}

/** Words that `double("...")` accepts in any case, as Go's ParseFloat does. */
const words: ReadonlyMap<string, number> = new Map([
  ["inf", Number.POSITIVE_INFINITY],
  ["+inf", Number.POSITIVE_INFINITY],
  ["-inf", Number.NEGATIVE_INFINITY],
  ["infinity", Number.POSITIVE_INFINITY],
  ["+infinity", Number.POSITIVE_INFINITY],
  ["-infinity", Number.NEGATIVE_INFINITY],
  ["nan", Number.NaN],
]);

/** A conversion of one value; what `run` does not know is left to the library. */
const unary = (name: string, run: (value: Value) => Outcome | undefined): readonly [string, Conversion] => [
  name,
  (value = null, ...more) => run(value) ?? callLibrary(name, undefined, [value, ...more]),
];

/** Conversions that differ from those of the library: lengths of time are counted in nanoseconds, points in time in seconds. */
export const conversions: readonly (readonly [string, Conversion])[] = [
  unary("int", nanosOfDuration),
  unary("duration", (value) =>
    typeof value === "bigint" ? callLibrary("duration", undefined, [durationText(value)]) : undefined,
  ),
  unary("timestamp", (value) => (typeof value === "bigint" ? timestampOf(value) : undefined)),
  unary("double", (value) => (typeof value === "string" ? words.get(value.toLowerCase()) : undefined)),
  unary("string", textOf),
  [
    "getMilliseconds",
    (time = null, ...zone) => {
      const nanos = nanosOfDuration(time);
      return nanos === undefined ? callLibrary("getMilliseconds", time, zone) : nanos / 1_000_000n;
    },
  ],
];
