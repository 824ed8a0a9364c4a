import { expect, test } from "vitest";
import { Slices } from "./slices.ts";

/** Slices over a clock that goes on by what each item takes, and turns that come by hand. */
function fixture(takesMs: number, onItem: (item: number) => void = () => {}) {
  let nowMs = 0;
  let turns: (() => void)[] = [];
  const done: number[] = [];
  const work = (item: number) => {
    nowMs += takesMs;
    done.push(item);
    onItem(item);
  };
  const slices = new Slices<number>(work, { now: () => nowMs, nextTurn: (callback) => void turns.push(callback) });
  return {
    slices,
    done,
    /** What the next turn does; undefined when none was asked for. */
    turn() {
      const [from, due] = [done.length, turns];
      turns = [];
      for (const callback of due) callback();
      return due.length === 0 ? undefined : done.slice(from);
    },
  };
}

test.each([
  { name: "few are done at once", takesMs: 1, items: [1, 2, 3], slices: [[1, 2, 3]] },
  { name: "many in slices", takesMs: 4, items: [1, 2, 3, 4, 5, 6, 7], slices: [[1, 2, 3], [4, 5, 6], [7]] },
  { name: "a long one is a slice", takesMs: 60, items: [1, 2], slices: [[1], [2], []] },
])("$name", ({ takesMs, items, slices: want }) => {
  const { slices, done, turn } = fixture(takesMs);
  slices.add(items);
  const seen = [[...done]];
  for (let next = turn(); next !== undefined; next = turn()) seen.push(next);
  expect(seen).toEqual(want);
});

test("while some wait, others come after them, once, and without a slice of their own", () => {
  const { slices, done, turn } = fixture(5);
  slices.add([1, 2, 3, 4]);
  slices.add([4, 5, 1]);
  slices.delete(5);
  expect(done).toEqual([1, 2]);
  expect([turn(), turn(), turn()]).toEqual([[3, 4], [1], undefined]);
});

test("what the work adds is done in the same round", () => {
  const { slices, done } = fixture(0, (item) => {
    if (item < 3) slices.add([item + 1]);
  });
  slices.add([1]);
  expect(done).toEqual([1, 2, 3]);
});
