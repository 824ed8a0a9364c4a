import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { systemEventLoop } from "./event-loop.ts";
import { FakeEventLoop } from "./fake-event-loop.ts";
import { TaskLane } from "./task-lane.ts";
import type { TurnBudget } from "./turn-budget.ts";

/** A lane over a loop that the test steps, and whose time advances by the duration of each task. */
function fixture(budget: TurnBudget) {
  const loop = new FakeEventLoop();
  const lane = new TaskLane(loop, budget);
  const done: number[] = [];
  return {
    lane,
    done,
    give: (name: number, takesMs = 0, weight = 1) =>
      lane.run(() => {
        loop.pass(takesMs);
        done.push(name);
      }, weight),
    /** The number of tasks that the next turn runs; undefined when no turn was requested. */
    turn() {
      const before = done.length;
      return loop.turn() ? done.length - before : undefined;
    },
  };
}

interface Case {
  readonly name: string;
  readonly budget: TurnBudget;
  readonly takesMs: number;
  readonly weight?: number;
  readonly given: number;
  readonly turns: readonly number[];
}

test.each<Case>([
  { name: "by time", budget: { forMs: 10 }, takesMs: 1, given: 23, turns: [10, 5, 5, 3, 0] },
  { name: "by number", budget: { weight: 8 }, takesMs: 0, given: 18, turns: [8, 4, 4, 2, 0] },
  { name: "by weight", budget: { weight: 8 }, takesMs: 0, weight: 2, given: 9, turns: [4, 2, 2, 1, 0] },
  { name: "the heaviest one by one", budget: { weight: 8 }, takesMs: 0, weight: 9, given: 4, turns: [2, 1, 1, 0] },
  { name: "by what comes first", budget: { forMs: 10, weight: 4 }, takesMs: 5, given: 4, turns: [2, 1, 1, 0] },
  { name: "one that takes longer than all is done", budget: { forMs: 10 }, takesMs: 50, given: 3, turns: [2, 1, 0] },
  { name: "few are done at once, and no turn is asked for", budget: { forMs: 10 }, takesMs: 1, given: 5, turns: [5] },
])("slices $name", ({ budget, takesMs, weight, given, turns }) => {
  const { done, give, turn } = fixture(budget);
  for (let i = 0; i < given; i++) give(i, takesMs, weight);
  const seen: (number | undefined)[] = [done.length];
  for (let count = turn(); count !== undefined; count = turn()) seen.push(count);
  expect(seen).toEqual(turns);
  expect(done).toEqual(Array.from({ length: given }, (_, i) => i));
});

test("a task that is added while others wait runs after them, and in the same turn if the budget allows", () => {
  const { done, give, turn, lane } = fixture({ weight: 4 });
  for (let i = 0; i < 5; i++) give(i);
  expect([done.length, lane.waiting]).toEqual([4, 1]);
  give(5);
  expect(turn()).toBe(2);
  expect(done).toEqual([0, 1, 2, 3, 4, 5]);
});

test("a task that throws does not prevent the others from running", () => {
  const { done, give, turn, lane } = fixture({ weight: 2 });
  const failing = () => {
    throw new Error("on purpose");
  };
  expect(() => lane.run(failing)).toThrow("on purpose");
  give(1);
  lane.run(failing);
  give(2);
  expect(turn).toThrow("on purpose");
  while (turn() !== undefined);
  expect(done).toEqual([1, 2]);
});

test("a task that has run is released while others still wait", async () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  setFlagsFromString("--no-expose-gc");
  const { lane, give, turn } = fixture({ weight: 4 });
  for (let i = 0; i < 4; i++) give(i);
  const held = (): WeakRef<object> => {
    const data = { bytes: new Uint8Array(1000) };
    lane.run(() => void data.bytes);
    return new WeakRef(data);
  };
  const refs = [held(), held()];
  for (let i = 0; i < 3; i++) give(i);
  expect([turn(), lane.waiting]).toEqual([0, 3]);
  // A reference that was made in this turn of the event loop is kept until its end.
  await sleep(0);
  collectGarbage();
  expect(refs.map((ref) => ref.deref())).toEqual([undefined, undefined]);
});

test("timers run between the slices of the process's own loop", async () => {
  const lane = new TaskLane(systemEventLoop, { weight: 10 });
  let [done, fired] = [0, -1];
  setTimeout(() => {
    fired = done;
  }, 0);
  // Until the timer is due.
  for (const until = performance.now() + 5; performance.now() < until; );
  for (let i = 0; i < 1000; i++) lane.run(() => void done++);
  while (lane.waiting > 0) await sleep(1);
  expect(done).toBe(1000);
  expect(fired).toBeGreaterThan(0);
  expect(fired).toBeLessThan(1000);
});
