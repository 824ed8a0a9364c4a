import type { CelError, CelValue } from "@bufbuild/cel";
import { library } from "./library.ts";
import { Failure, isList, isMap, isOpaque, isTypeValue, type Outcome, type TimeValue, type Value } from "./value.ts";

/** Longer texts are no numbers or times; converting them would take long. */
const maxConverted = 256;

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
  return result as Value;
}

const isTime = (value: Value): value is TimeValue => typeof value === "object" && value !== null && "message" in value;

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

const isPlainValue = (value: Value | undefined): boolean =>
  value === undefined || !(isList(value) || isMap(value) || isOpaque(value) || isTypeValue(value));

/** The library takes what JavaScript takes for numbers: an empty text, other bases. */
function conversionError(name: string, text: string): string | undefined {
  const short = text.slice(0, maxConverted);
  const allowed = name === "int" ? /^[+-]?\d+$/ : name === "uint" ? /^\d+$/ : undefined;
  const wrong =
    text.length > maxConverted ||
    (allowed !== undefined && !allowed.test(text)) ||
    (name === "double" && (text.trim() !== text || text === "" || /^[+-]?0[xob]/i.test(text) || isNoNumber(text)));
  return wrong ? `type conversion error from 'string' to '${name}': ${JSON.stringify(short)}` : undefined;
}

const isNoNumber = (text: string): boolean => Number.isNaN(Number(text)) && text !== "NaN";

function reasonOf(message: string): string {
  if (/modul\w+ by zero/.test(message)) return "modulus by zero";
  if (message.includes("by zero")) return "division by zero";
  if (/overflow during (?!type conversion)/.test(message)) return "integer overflow";
  return message.startsWith("found no matching overload") ? "no such overload" : message;
}
