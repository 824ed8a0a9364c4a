import { callLibrary } from "./library-call.ts";
import { type Identity, identifyBy } from "./list-order.ts";
import { Failure, isList, isMap, isOpaque, isTypeValue, type ListValue, type MapValue, type Outcome } from "./value.ts";
import { itemWork, textWork, type Work } from "./work.ts";

/** Values at the same place of two lists or maps; "different": one has no such place; "later": none is known yet. */
type Pair = readonly [Outcome, Outcome] | "different" | "later";

/** The pairs of two lists or maps, one by one; undefined after the last one. */
type Pairs = () => Pair | undefined;

/** The work of comparing two values inside of others: as much as reading four characters. */
const pairWork = 4;

/**
 * Compares two values: numbers by value across types, lists by their order, maps by their entries.
 *
 * It keeps a stack of open pairs in place of recursion, so that it can stop anywhere and be continued: whole objects may be compared, as in
 * `self.spec == oldSelf.spec`.
 */
export class Comparison implements Work<boolean> {
  #done = 0;
  /** Pairs that are left, of what lies innermost last. */
  readonly #open: Pairs[] = [];
  #equal: boolean | undefined;

  constructor(a: Outcome, b: Outcome) {
    this.#equal = this.#compare(a, b);
  }

  get done(): number {
    return this.#done;
  }

  advance(amount: number): boolean | undefined {
    for (let left = amount; this.#equal === undefined && left > 0; left--) this.#step();
    return this.#equal;
  }

  #step(): void {
    const pair = this.#open.at(-1)?.();
    if (pair === undefined) {
      this.#open.pop();
      if (this.#open.length === 0) this.#equal = true;
      return;
    }
    this.#done += pair === "later" ? itemWork : pairWork;
    if (pair === "later") return;
    if (pair === "different" || this.#compare(pair[0], pair[1]) === false) this.#equal = false;
  }

  /** Whether two values are equal; undefined if that depends on pairs that are open now. */
  #compare(a: Outcome, b: Outcome): boolean | undefined {
    const known = compareShort(a, b);
    if (known !== undefined) return known;
    const pairs = pairsOf(a, b);
    if (pairs === undefined) return false;
    this.#open.push(pairs);
    return undefined;
  }
}

/** Whether two values are equal; undefined for lists and maps. */
function compareShort(a: Outcome, b: Outcome): boolean | undefined {
  if (a === b) return !(a instanceof Failure);
  if (a instanceof Failure || b instanceof Failure || a === null || b === null) return false;
  if (typeof a === "string" || typeof a === "boolean" || typeof b === "string" || typeof b === "boolean") return false;
  if (typeof a === "bigint" && typeof b === "bigint") return false;
  if (isList(a) || isMap(a)) return undefined;
  if (isOpaque(a)) return isOpaque(b) && a.type === b.type && a.text === b.text;
  if (isTypeValue(a)) return isTypeValue(b) && a.name === b.name;
  if (isList(b) || isMap(b) || isOpaque(b) || isTypeValue(b)) return false;
  return callLibrary("_==_", undefined, [a, b]) === true;
}

/** The pairs of two lists or two maps; undefined if they are different whatever lies in them. */
function pairsOf(a: Outcome, b: Outcome): Pairs | undefined {
  if (a instanceof Failure || b instanceof Failure) return undefined;
  if (isList(a)) {
    if (!isList(b) || a.size !== b.size) return undefined;
    return a.order.kind === "atomic" ? pairsByPosition(a, b) : pairsByIdentity(a, b);
  }
  return isMap(a) && isMap(b) && a.size === b.size ? pairsByKey(a, b) : undefined;
}

function pairsByPosition(a: ListValue, b: ListValue): Pairs {
  let i = 0;
  return () => {
    const at = i++;
    return at < a.size ? [a.at(at), b.at(at)] : undefined;
  };
}

/** Pairs of sets and map lists: first the items of one list are indexed, then those of the other one looked up. */
function pairsByIdentity(a: ListValue, b: ListValue): Pairs {
  const identify = identifyBy(a.order);
  const others = new Map<Identity, Outcome>();
  let indexed = 0;
  let i = 0;
  return () => {
    if (indexed < b.size) {
      const item = b.at(indexed++);
      const identity = identify(item);
      if (identity !== undefined) others.set(identity, item);
      return "later";
    }
    if (i >= a.size) return undefined;
    const item = a.at(i++);
    const identity = identify(item);
    const other = identity === undefined ? undefined : others.get(identity);
    return other === undefined ? "different" : [item, other];
  };
}

/** Maps of one size are equal if each key of one has an equal value in the other. */
function pairsByKey(a: MapValue, b: MapValue): Pairs {
  const keys = a.keys();
  let i = 0;
  return () => {
    const key = keys[i++];
    if (key === undefined) return undefined;
    const one = a.get(key);
    const other = b.get(key);
    return one === undefined || other === undefined ? "different" : [one, other];
  };
}

/** Whether two values are equal, whatever that takes. */
export function equal(a: Outcome, b: Outcome): boolean {
  return compareShort(a, b) ?? new Comparison(a, b).advance(Number.POSITIVE_INFINITY) === true;
}

/** Options of {@link Search}. */
interface SearchOptions {
  /** Whether the last item that is equal is wanted. @default the first one */
  readonly last?: boolean;
  /** Whether the length of texts counts as work. @default false */
  readonly readsTexts?: boolean;
}

/** Finds the first or last item of a list that equals a value: its index, or -1. */
export class Search implements Work<number> {
  readonly #list: ListValue;
  readonly #wanted: Outcome;
  readonly #last: boolean;
  readonly #readsTexts: boolean;
  #next = 0;
  #done = 0;
  /** Of the next item, if that takes longer. */
  #comparison: Comparison | undefined;

  constructor(list: ListValue, wanted: Outcome, options: SearchOptions = {}) {
    this.#list = list;
    this.#wanted = wanted;
    this.#last = options.last ?? false;
    this.#readsTexts = options.readsTexts ?? false;
  }

  get done(): number {
    return this.#done;
  }

  advance(amount: number): number | undefined {
    const end = this.#done + amount;
    const { size } = this.#list;
    while (this.#next < size) {
      if (this.#done >= end) return undefined;
      const index = this.#last ? size - 1 - this.#next : this.#next;
      const found = this.#compare(index, end - this.#done);
      if (found === undefined) return undefined;
      if (found) return index;
      this.#next++;
    }
    return -1;
  }

  #compare(index: number, amount: number): boolean | undefined {
    if (this.#comparison === undefined) {
      const item = this.#list.at(index);
      this.#done += this.#readsTexts ? textWork(item) : itemWork;
      const known = compareShort(item, this.#wanted);
      if (known !== undefined) return known;
      this.#comparison = new Comparison(item, this.#wanted);
    }
    const before = this.#comparison.done;
    const found = this.#comparison.advance(amount);
    this.#done += this.#comparison.done - before;
    if (found !== undefined) this.#comparison = undefined;
    return found;
  }
}
