import { equal } from "../values/equal.ts";
import { callLibrary } from "../values/library-call.ts";
import { compareTexts } from "../values/texts.ts";
import { Failure, isList, itemsOf, type ListValue, type Outcome, type Value } from "../values/value.ts";
import { indexInText, lastIndexInText } from "./texts.ts";

const noOverload = (): Failure => new Failure("no such overload");

/** Whether a value is less than or equal to another one. */
const ordered = (a: Outcome, b: Outcome): Outcome => {
  if (a instanceof Failure) return a;
  if (b instanceof Failure) return b;
  if (typeof a === "string" && typeof b === "string") return compareTexts(a, b) <= 0;
  return callLibrary("_<=_", undefined, [a, b]);
};

const ofList =
  (run: (list: ListValue, ...more: readonly Value[]) => Outcome) =>
  (list: Value, ...more: readonly Value[]): Outcome =>
    isList(list) ? run(list, ...more) : noOverload();

function isSorted(list: ListValue): Outcome {
  for (let i = 1; i < list.size; i++) {
    const inOrder = ordered(list.at(i - 1), list.at(i));
    if (inOrder !== true) return inOrder;
  }
  return true;
}

function sum(list: ListValue): Outcome {
  let total: Value | undefined;
  for (const item of itemsOf(list)) {
    if (item instanceof Failure) return item;
    const next: Outcome = total === undefined ? item : callLibrary("_+_", undefined, [total, item]);
    if (next instanceof Failure) return next;
    total = next;
  }
  return total ?? 0n;
}

/** @param wanted whether the left one is the better of two when it is not the greater one */
function extreme(list: ListValue, name: string, wanted: boolean): Outcome {
  if (list.size === 0) return new Failure(`${name} called on empty list`);
  let best = list.at(0);
  for (let i = 1; i < list.size && !(best instanceof Failure); i++) {
    const item = list.at(i);
    const keeps = ordered(best, item);
    if (typeof keeps !== "boolean") return keeps;
    if (keeps !== wanted) best = item;
  }
  return best;
}

function indexOf(list: ListValue, wanted: Value, last: boolean): Outcome {
  for (let i = 0; i < list.size; i++) {
    const index = last ? list.size - 1 - i : i;
    if (equal(list.at(index), wanted)) return BigInt(index);
  }
  return -1n;
}

export const listFunctions = {
  isSorted: ofList(isSorted),
  sum: ofList(sum),
  min: ofList((list) => extreme(list, "min", true)),
  max: ofList((list) => extreme(list, "max", false)),
} as const;

/** `indexOf` and `lastIndexOf` of lists; texts have functions of the same names. */
export const indexIn =
  (name: "indexOf" | "lastIndexOf") =>
  (target: Value, wanted: Value, ...more: readonly Value[]): Outcome =>
    isList(target)
      ? indexOf(target, wanted, name === "lastIndexOf")
      : (name === "indexOf" ? indexInText : lastIndexInText)(target, wanted, ...more);
