import { expect, test } from "vitest";
import { FakeEventLoop } from "./fake-event-loop.ts";
import { atOnce, inTurns } from "./steps.ts";

function* steps(seen: number[]): Generator<undefined, string> {
  for (let i = 0; i < 4; i++) {
    seen.push(i);
    yield;
  }
  return "done";
}

test("steps of long work run in separate turns", async () => {
  const loop = new FakeEventLoop();
  const seen: number[] = [];
  const result = inTurns(loop, steps(seen));
  expect(seen).toEqual([0]);
  expect(await loop.settle()).toBe(4);
  expect([await result, seen]).toEqual(["done", [0, 1, 2, 3]]);
});

test("steps of short work run in one turn", () => {
  const seen: number[] = [];
  expect([atOnce(steps(seen)), seen.length]).toEqual(["done", 4]);
});
