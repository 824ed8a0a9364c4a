import { FakeClock } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { Deadlines } from "./deadlines.ts";

test("late items are reported once, in the order in which they were added", () => {
  const clock = new FakeClock();
  const late: string[] = [];
  const deadlines = new Deadlines<string>(clock, 100, (item) => late.push(`${item} ${clock.monotonicMs()}`));
  deadlines.add("a");
  clock.advance(30);
  const b = deadlines.add("b");
  deadlines.add("c");
  clock.advance(30);
  deadlines.delete(b);
  deadlines.delete(b);
  expect(late).toEqual([]);
  clock.advance(500);
  expect(late).toEqual(["a 100", "c 130"]);
  const d = deadlines.add("d");
  clock.advance(99);
  deadlines.delete(d);
  deadlines.add("e");
  clock.advance(100);
  expect(late).toEqual(["a 100", "c 130", "e 759"]);
});

test("there is one timer for all items, and none when no item is left", () => {
  const clock = new FakeClock();
  const deadlines = new Deadlines<number>(clock, 100, () => undefined);
  for (let i = 0; i < 10; i++) {
    deadlines.delete(deadlines.add(i));
    clock.advance(5);
  }
  expect(clock.waiting).toBe(1);
  clock.advance(100);
  expect(clock.waiting).toBe(0);
});

test("without a timeout no item is late", () => {
  const clock = new FakeClock();
  const deadlines = new Deadlines<string>(clock, 0, () => expect.fail("nothing is late"));
  deadlines.add("a");
  expect(clock.waiting).toBe(0);
});
