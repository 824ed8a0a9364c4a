import { expect, test } from "vitest";
import { FakeEventLoop } from "./fake-event-loop.ts";
import { WorkSet } from "./work-set.ts";

/** A set over a loop that the test steps, and whose time advances by the duration of each item. */
function fixture(takesMs: number, onItem: (item: number) => void = () => {}) {
  const loop = new FakeEventLoop();
  const done: number[] = [];
  let rounds = 0;
  const set = new WorkSet<number>(loop, {
    work(item) {
      loop.pass(takesMs);
      done.push(item);
      onItem(item);
    },
    onDone: () => void rounds++,
  });
  return {
    set,
    done,
    rounds: () => rounds,
    /** The items of the next turn; undefined when no turn was requested. */
    turn() {
      const from = done.length;
      return loop.turn() ? done.slice(from) : undefined;
    },
  };
}

test.each([
  { name: "few are done at once", takesMs: 1, items: [1, 2, 3], slices: [[1, 2, 3]] },
  { name: "many in slices", takesMs: 4, items: [1, 2, 3, 4, 5, 6, 7], slices: [[1, 2, 3], [4, 5, 6], [7]] },
  { name: "a long one is a slice", takesMs: 60, items: [1, 2], slices: [[1], [2], []] },
])("$name", ({ takesMs, items, slices: want }) => {
  const { set, done, turn } = fixture(takesMs);
  set.add(items);
  const seen = [[...done]];
  for (let next = turn(); next !== undefined; next = turn()) seen.push(next);
  expect(seen).toEqual(want);
});

test("an item that is added while others wait is worked on after them, once, and without a slice of its own", () => {
  const { set, done, turn } = fixture(5);
  set.add([1, 2, 3, 4]);
  set.add([4, 5, 1]);
  set.delete(5);
  expect(done).toEqual([1, 2]);
  expect([turn(), turn(), turn()]).toEqual([[3, 4], [1], undefined]);
});

test("items that the work adds are worked on in the same round", () => {
  const { set, done } = fixture(0, (item) => {
    if (item < 3) set.add([item + 1]);
  });
  set.add([1]);
  expect(done).toEqual([1, 2, 3]);
});

test("the end of a round is reported once, when no item waits", () => {
  const { set, rounds, turn } = fixture(6);
  set.add([1, 2, 3]);
  expect(rounds()).toBe(0);
  turn();
  expect(rounds()).toBe(1);
  set.add([4]);
  expect([rounds(), set.has(4)]).toEqual([2, false]);
});

test("an item whose work throws keeps neither those behind it nor later ones from their work", () => {
  const { set, done, rounds, turn } = fixture(1, (item) => {
    if (item === 2) throw new Error("two");
  });
  expect(() => set.add([1, 2, 3])).toThrow("two");
  set.add([4]);
  expect([turn(), turn()]).toEqual([[3, 4], undefined]);
  set.add([5]);
  expect([done, rounds()]).toEqual([[1, 2, 3, 4, 5], 2]);
});
