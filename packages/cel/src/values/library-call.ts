import type { CelError, CelValue } from "@bufbuild/cel";
import { library } from "./library.ts";
import { Failure, isList, isMap, isOpaque, isTime, isTypeValue, type Outcome, type Value } from "./value.ts";

/** Longer texts are no numbers or times; converting them would take long. */
const maxConverted = 256;

/** Conversions from text, whose form is checked before the library sees it. */
const conversions: ReadonlySet<string> = new Set(["int", "uint", "double", "timestamp", "duration"]);

/** Calls a function of the library. It takes texts, numbers, bytes, booleans and times only: this package has its own lists and maps. */
export function callLibrary(name: string, target: Value | undefined, args: readonly Value[]): Outcome {
  const { environment, library: cel } = library();
  const [first] = args;
  if (typeof first === "string" && conversions.has(name)) {
    const wrong = conversionError(name, first);
    if (wrong !== undefined) return new Failure(wrong);
  }
  if (![target, ...args].every(isPlainValue)) return new Failure("no such overload");
  const given = [...(target === undefined ? [] : [target]), ...args];
  const result =
    makesTimes.has(name) || given.some(isTime)
      ? planned(name, target !== undefined, given)
      : environment.funcs.find(name)?.call(0, target as CelValue | undefined, args as CelValue[]);
  if (result === undefined) return new Failure("no such overload");
  if (cel.isCelError(result)) return new Failure(reasonOf(result.message));
  if (name === "timestamp" && typeof first === "string") noteZone(result as Value, first);
  return result as Value;
}

/** Times whose text had an offset from UTC: their text has it again. */
const zones = new WeakMap<object, string>();

function noteZone(time: Value, text: string): void {
  const offset = /[+-]\d\d:\d\d$/.exec(text)?.[0];
  if (offset !== undefined && !offset.endsWith("00:00") && isTime(time)) zones.set(time, offset);
}

/** The offset from UTC with which a time was written, such as `+01:00`; undefined if it has none. */
export const offsetOf = (time: Value): string | undefined => (isTime(time) ? zones.get(time) : undefined);

/** Calls that were compiled once, by name and number of arguments; their number is that of the language's functions. */
type Plan = ReturnType<ReturnType<typeof library>["library"]["plan"]>;
const plans = new Map<string, Plan>();
const names = ["a", "b", "c", "d"] as const;

const makesTimes: ReadonlySet<string> = new Set(["timestamp", "duration"]);

/** Calls a function as an expression does: those of times look up their types in what the library sets up for an evaluation. */
function planned(name: string, method: boolean, given: readonly Value[]): CelValue | CelError | undefined {
  const { environment, library: cel } = library();
  const key = `${method ? "." : ""}${name}/${given.length}`;
  let plan = plans.get(key);
  if (plan === undefined) {
    const places = names.slice(0, given.length);
    const operator = /^_(.+)_$/.exec(name)?.[1];
    const [first = "", ...rest] = places;
    const call = method ? `${first}.${name}(${rest.join(", ")})` : `${name}(${places.join(", ")})`;
    plan = cel.plan(environment, cel.parse(operator === undefined ? call : places.join(` ${operator} `)));
    plans.set(key, plan);
  }
  return plan(Object.fromEntries(given.map((value, i) => [names[i] ?? "", value as CelValue])));
}

/** Whether the library knows such a value; it does not know the lists and maps of this package. */
const isPlainValue = (value: Value | undefined): boolean =>
  value === undefined || !(isList(value) || isMap(value) || isOpaque(value) || isTypeValue(value));

/** The library takes what JavaScript takes for numbers: an empty text, other bases; and days that no month has. */
function conversionError(name: string, text: string): string | undefined {
  if (text.length <= maxConverted && forms[name]?.(text) === true) return undefined;
  return `type conversion error from 'string' to '${typeNames[name] ?? name}'`;
}

const typeNames: Readonly<Record<string, string>> = {
  timestamp: "google.protobuf.Timestamp",
  duration: "google.protobuf.Duration",
};

// The forms of Go's time.ParseDuration and of RFC 3339, which cel-go accepts.
const lengthOfTime = /^[+-]?(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;
const pointInTime = /^\d{4}-(\d\d)-(\d\d)T(\d\d):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

/** Whether a text has the form of what it is converted to. */
const forms: Readonly<Record<string, (text: string) => boolean>> = {
  int: (text) => /^[+-]?\d+$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text),
  uint: (text) => /^\d+$/.test(text) && BigInt.asUintN(64, BigInt(text)) === BigInt(text),
  double: (text) => /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text) && Number.isFinite(Number(text)),
  duration: (text) => lengthOfTime.test(text),
  timestamp: (text) => {
    const [, month, day, hour] = pointInTime.exec(text) ?? [];
    if (month === undefined || Number(month) < 1 || Number(month) > 12 || Number(day) < 1 || Number(hour) > 23)
      return false;
    // The day before the first of the next month; leap years repeat.
    return Number(day) <= new Date(Date.UTC(2000 + (Number(text.slice(0, 4)) % 400), Number(month), 0)).getUTCDate();
  },
};

/** The message of a failure in the words of cel-go, which users see in the errors of the API. */
function reasonOf(message: string): string {
  if (/modul\w+ by zero/.test(message)) return "modulus by zero";
  if (message.includes("by zero")) return "division by zero";
  if (message.startsWith("uint overflow")) return "unsigned integer overflow";
  if (/^int overflow|overflow during (?!type conversion)/.test(message)) return "integer overflow";
  if (message.includes("out of range")) {
    if (message.includes("timestamp")) return "timestamp overflow";
    if (message.includes("duration")) return "duration overflow";
  }
  return message.startsWith("found no matching overload") ? "no such overload" : message;
}
