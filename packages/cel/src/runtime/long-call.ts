import type { InterruptibleSteps } from "@orchernetes/kernel";
import { listWork } from "../environment/lists.ts";
import { Comparison, Search } from "../values/comparison.ts";
import { Merge } from "../values/merge.ts";
import { Matches } from "../values/patterns.ts";
import { CostError, InterruptedError, isList, isMap, type Outcome, type Value } from "../values/value.ts";
import type { Work } from "../values/work.ts";
import { costs } from "./call-cost.ts";
import type { Meter } from "./meter.ts";

type MakeWork = (...args: readonly Value[]) => Work<Outcome> | undefined;

/** Work with its result converted. */
function mapped<T>(work: Work<T>, read: (result: T) => Outcome): Work<Outcome> {
  return {
    advance: (amount) => {
      const result = work.advance(amount);
      return result === undefined ? undefined : read(result);
    },
    get done() {
      return work.done;
    },
  };
}

/** Equality of lists and maps, which may hold a whole object. Scalars are compared at once, by the operator. */
const compared =
  (wanted: boolean): MakeWork =>
  (a = null, b = null) =>
    isList(a) || isMap(a) ? mapped(new Comparison(a, b), (equal) => equal === wanted) : undefined;

/** `in` for lists reads them item by item; for maps it is one lookup, which the operator does. */
const isIn: MakeWork = (item = null, container = null) =>
  isList(container) ? mapped(new Search(container, item), (index) => index >= 0) : undefined;

/** Each match is an item of the result; a negative limit means all of them. */
const findAll: MakeWork = (text = null, pattern = null, limit = -1n) =>
  typeof text === "string" && typeof pattern === "string" && typeof limit === "bigint"
    ? new Matches(text, pattern, limit < 0n ? Number.POSITIVE_INFINITY : Number(limit))
    : undefined;

/** Lists that are sets, or maps by keys, become one; others are put one after the other at once. */
const added: MakeWork = (a = null, b = null) =>
  isList(a) && isList(b) && a.order.kind !== "atomic" ? new Merge(a, b) : undefined;

/**
 * Functions that read all that lies in a value, as work that can be done in parts: without it, one call on a large list would hold the
 * event loop, however often the expression around it pauses. They return undefined for arguments of which they read nothing but
 * themselves.
 */
export const longCalls: ReadonlyMap<string, MakeWork> = new Map([
  ...listWork,
  ["_==_", compared(true)],
  ["_!=_", compared(false)],
  ["@in", isIn],
  ["_+_", added],
  ["findAll", findAll],
]);

/**
 * Does all of a call's work at once, and charges for it where that is more than what was charged already: prices by size do not count what
 * is nested in items, such as lists in the lists that `==` compares.
 *
 * @param paid what was charged for the call
 * @throws CostError if it is more than may be charged
 */
export function workAtOnce(work: Work<Outcome>, paid: number, meter: Meter): Outcome {
  const result = work.advance(affordable(paid, meter));
  chargeDone(work, paid, meter);
  if (result === undefined) throw new CostError();
  return result;
}

/**
 * Does a call's work in steps. Its cost is that of {@link workAtOnce}: pauses must not change whether an expression is within its limit.
 *
 * @throws CostError if it is more than may be charged
 * @throws InterruptedError if nobody waits for the result any more
 */
export function* workInSteps(work: Work<Outcome>, paid: number, meter: Meter): InterruptibleSteps<Outcome> {
  const most = affordable(paid, meter);
  for (;;) {
    const result = work.advance(Math.min(workInStep, Math.max(1, most - work.done)));
    if (result !== undefined || work.done >= most) {
      chargeDone(work, paid, meter);
      if (result === undefined) throw new CostError();
      return result;
    }
    if (yield) throw new InterruptedError();
  }
}

/** Work between two pauses, in characters: at {@link costs}.character it is as much as other steps do between theirs. */
const workInStep = 5000;

/** How much work can be done before its cost is above the limit. */
const affordable = (paid: number, meter: Meter): number => Math.floor((meter.left + paid) / costs.character) + 1;

const chargeDone = ({ done }: Work<Outcome>, paid: number, meter: Meter): void =>
  meter.charge(Math.max(0, Math.ceil(done * costs.character) - paid));
