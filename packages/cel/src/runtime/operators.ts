import type { CelUint } from "@bufbuild/cel";
import { equal } from "../values/comparison.ts";
import { library } from "../values/library.ts";
import { callLibrary } from "../values/library-call.ts";
import { compareTexts } from "../values/texts.ts";
import {
  characters,
  concatenate,
  Failure,
  isList,
  isMap,
  isOpaque,
  isTypeValue,
  type Outcome,
  type TypeValue,
  type Value,
} from "../values/value.ts";
import { conversions } from "./conversions.ts";

type Operator = (...args: readonly Value[]) => Outcome;

/** The bounds of the type int, which has 64 bits. Beyond them an operation fails instead of wrapping around (CEL specification, Overflow). */
const minimum = -(2n ** 63n);
const maximum = 2n ** 63n - 1n;

const inRange = (value: bigint): Outcome =>
  value < minimum || value > maximum ? new Failure("integer overflow") : value;

/** Operators whose integers are computed here; the library has the other types. */
const integers =
  (name: string, run: (a: bigint, b: bigint) => Outcome): Operator =>
  (a = null, b = null) =>
    typeof a === "bigint" && typeof b === "bigint" ? run(a, b) : callLibrary(name, undefined, [a, b]);

const isUint = (value: Value): value is CelUint => library().library.isCelUint(value);

/** Divides unsigned integers: the library takes the quotient for a signed one. */
const divided =
  (name: string, error: string, run: (a: bigint, b: bigint) => bigint): Operator =>
  (a = null, b = null) => {
    if (typeof a === "bigint" && typeof b === "bigint")
      return b === 0n ? new Failure(error) : a === minimum && b === -1n ? new Failure("integer overflow") : run(a, b);
    if (!isUint(a) || !isUint(b)) return callLibrary(name, undefined, [a, b]);
    return b.value === 0n ? new Failure(error) : library().library.celUint(run(a.value, b.value));
  };

/** Operators that compare; texts are in the order of their code points. */
const comparison =
  (name: string, run: (a: bigint | number, b: bigint | number) => boolean): Operator =>
  (a = null, b = null) => {
    if (typeof a === "bigint" && typeof b === "bigint") return run(a, b);
    if (typeof a === "string" && typeof b === "string") return run(compareTexts(a, b), 0);
    return callLibrary(name, undefined, [a, b]);
  };

/** The operators of the language that work on this package's own values, and those that are fast for integers. */
export const operators: ReadonlyMap<string, Operator> = new Map<string, Operator>([
  ["_==_", (a = null, b = null) => equal(a, b)],
  ["_!=_", (a = null, b = null) => !equal(a, b)],
  ...conversions,
  ["_<_", comparison("_<_", (a, b) => a < b)],
  ["_<=_", comparison("_<=_", (a, b) => a <= b)],
  ["_>_", comparison("_>_", (a, b) => a > b)],
  ["_>=_", comparison("_>=_", (a, b) => a >= b)],
  ["_/_", divided("_/_", "division by zero", (a, b) => a / b)],
  ["_%_", divided("_%_", "modulus by zero", (a, b) => a % b)],
  ["_-_", integers("_-_", (a, b) => inRange(a - b))],
  ["_*_", integers("_*_", (a, b) => inRange(a * b))],
  ["_+_", (a = null, b = null) => add(a, b)],
  ["@in", (item = null, container = null) => isIn(item, container)],
  ["size", (value = null) => sizeValue(value)],
  ["dyn", (value = null) => value],
  ["type", (value = null) => typeOf(value)],
]);

/** `+`. Sets and map lists are merged elsewhere, since that may take long. */
function add(a: Value, b: Value): Outcome {
  if (typeof a === "bigint" && typeof b === "bigint") return inRange(a + b);
  if (typeof a === "string" && typeof b === "string") return a + b;
  if (isList(a) && isList(b)) return concatenate(a, b);
  return callLibrary("_+_", undefined, [a, b]);
}

/** Lists are searched elsewhere, since that may take long. */
function isIn(item: Value, container: Value): Outcome {
  return isMap(container) ? container.get(item) !== undefined : new Failure("no such overload");
}

/** The number of code points, bytes, items or entries. */
function sizeValue(value: Value): Outcome {
  if (typeof value === "string") return BigInt(characters(value));
  if (value instanceof Uint8Array) return BigInt(value.length);
  return isList(value) || isMap(value) ? BigInt(value.size) : new Failure("no such overload");
}

/** Selects a field, or an entry by its key. */
export function select(operand: Value, key: Value): Outcome {
  if (!isMap(operand)) return new Failure("no such overload");
  const value = operand.get(key);
  return value === undefined ? new Failure(`no such key: ${textOf(key)}`) : value;
}

/** Reads an item of a list or an entry of a map. */
export function index(operand: Value, key: Value): Outcome {
  if (isMap(operand)) return select(operand, key);
  if (!isList(operand)) return new Failure("no such overload");
  const position = positionOf(key);
  if (position === undefined) return new Failure("no such overload");
  if (position < 0 || position >= operand.size) return new Failure(`index out of bounds: ${position}`);
  return operand.at(position);
}

/** The number of an item. Numbers of all types can be positions, since numeric types are compared by value. */
function positionOf(key: Value): number | undefined {
  if (typeof key === "bigint") return Number(key);
  if (typeof key === "number") return Number.isInteger(key) ? key : undefined;
  return library().library.isCelUint(key) ? Number(key.value) : undefined;
}

const textOf = (key: Value): string =>
  typeof key === "string" || typeof key === "bigint" || typeof key === "boolean" ? String(key) : "key";

/** A type as a value, as `type(x) == string` compares it. */
export const typeNamed = (name: string): TypeValue => ({ kind: "type", name });

/** The type of a value. All objects of a schema are maps here, whose entries are their fields. */
function typeOf(value: Value): Outcome {
  switch (typeof value) {
    case "boolean":
      return typeNamed("bool");
    case "bigint":
      return typeNamed("int");
    case "number":
      return typeNamed("double");
    case "string":
      return typeNamed("string");
    default:
      break;
  }
  if (value === null) return typeNamed("null_type");
  if (isList(value)) return typeNamed("list");
  if (isMap(value)) return typeNamed("map");
  if (isOpaque(value)) return typeNamed(value.type);
  if (isTypeValue(value)) return typeNamed("type");
  if (value instanceof Uint8Array) return typeNamed("bytes");
  return typeNamed(library().library.isCelUint(value) ? "uint" : value.message.$typeName);
}
