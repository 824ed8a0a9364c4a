import { Search } from "../values/comparison.ts";
import { callLibrary } from "../values/library-call.ts";
import { compareTexts } from "../values/texts.ts";
import { Failure, isList, type ListValue, type Outcome, type Value } from "../values/value.ts";
import { textWork, type Work } from "../values/work.ts";

const noOverload = (): Failure => new Failure("no such overload");

/** Whether a value is less than or equal to another one. */
const ordered = (a: Outcome, b: Outcome): Outcome => {
  if (a instanceof Failure) return a;
  if (b instanceof Failure) return b;
  if (typeof a === "string" && typeof b === "string") return compareTexts(a, b) <= 0;
  return callLibrary("_<=_", undefined, [a, b]);
};

/** Reads the items of a list in order, until one decides what the result is. */
class Scan implements Work<Outcome> {
  readonly #list: ListValue;
  readonly #visit: (item: Outcome, index: number) => Outcome | undefined;
  readonly #end: () => Outcome;
  readonly #workOf: (item: Outcome) => number;
  #next = 0;
  #done = 0;

  /** @param end the result if no item decides */
  constructor(
    list: ListValue,
    visit: (item: Outcome, index: number) => Outcome | undefined,
    end: () => Outcome,
    workOf: (item: Outcome) => number = textWork,
  ) {
    this.#list = list;
    this.#visit = visit;
    this.#end = end;
    this.#workOf = workOf;
  }

  get done(): number {
    return this.#done;
  }

  advance(amount: number): Outcome | undefined {
    const end = this.#done + amount;
    const { size } = this.#list;
    while (this.#next < size) {
      if (this.#done >= end) return undefined;
      const index = this.#next++;
      const item = this.#list.at(index);
      this.#done += this.#workOf(item);
      const result = this.#visit(item, index);
      if (result !== undefined) return result;
    }
    return this.#end();
  }
}

function isSorted(list: ListValue): Scan {
  let before: Outcome = null;
  const visit = (item: Outcome, index: number): Outcome | undefined => {
    const inOrder = index === 0 || ordered(before, item);
    before = item;
    return inOrder === true ? undefined : inOrder;
  };
  return new Scan(list, visit, () => true);
}

/** The sum of an empty list is the integer 0, whatever the type of its items. */
function sum(list: ListValue): Scan {
  let total: Value | undefined;
  const visit = (item: Outcome): Outcome | undefined => {
    if (item instanceof Failure) return item;
    const next: Outcome = total === undefined ? item : callLibrary("_+_", undefined, [total, item]);
    if (next instanceof Failure) return next;
    total = next;
    return undefined;
  };
  return new Scan(list, visit, () => total ?? 0n);
}

/** @param wanted whether the left one is the better of two when it is not the greater one */
function extreme(list: ListValue, name: string, wanted: boolean): Scan {
  let best: Outcome = new Failure(`${name} called on empty list`);
  const visit = (item: Outcome, index: number): Outcome | undefined => {
    const keeps = index > 0 && ordered(best, item);
    if (typeof keeps !== "boolean") return keeps;
    if (index === 0 || keeps !== wanted) best = item;
    return undefined;
  };
  return new Scan(list, visit, () => best);
}

function join(list: ListValue, separator: string): Scan {
  const parts: string[] = [];
  const visit = (item: Outcome): Outcome | undefined => {
    if (item instanceof Failure) return item;
    if (typeof item !== "string") return noOverload();
    parts.push(item);
    return undefined;
  };
  // The characters are charged by the result.
  return new Scan(
    list,
    visit,
    () => parts.join(separator),
    () => 1,
  );
}

/** A search whose result is an index, as a value. */
function indexOf(list: ListValue, wanted: Value, last: boolean): Work<Outcome> {
  const search = new Search(list, wanted, { last, readsTexts: true });
  return {
    advance: (amount) => {
      const found = search.advance(amount);
      return found === undefined ? undefined : BigInt(found);
    },
    get done() {
      return search.done;
    },
  };
}

/**
 * Functions of lists, as work that can be done in parts. What is called on other values than they take is undefined: `indexOf` of a text is
 * another function.
 */
export const listWork: ReadonlyMap<string, (...args: readonly Value[]) => Work<Outcome> | undefined> = new Map<
  string,
  (...args: readonly Value[]) => Work<Outcome> | undefined
>([
  ["isSorted", (list = null) => (isList(list) ? isSorted(list) : undefined)],
  ["sum", (list = null) => (isList(list) ? sum(list) : undefined)],
  ["min", (list = null) => (isList(list) ? extreme(list, "min", true) : undefined)],
  ["max", (list = null) => (isList(list) ? extreme(list, "max", false) : undefined)],
  [
    "join",
    (list = null, separator = "") =>
      isList(list) && typeof separator === "string" ? join(list, separator) : undefined,
  ],
  [
    "indexOf",
    (list = null, wanted = null, ...more) =>
      isList(list) && more.length === 0 ? indexOf(list, wanted, false) : undefined,
  ],
  [
    "lastIndexOf",
    (list = null, wanted = null, ...more) =>
      isList(list) && more.length === 0 ? indexOf(list, wanted, true) : undefined,
  ],
]);
