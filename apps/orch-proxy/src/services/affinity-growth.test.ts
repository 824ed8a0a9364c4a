import { FakeClock } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { AffinityGrowth } from "./affinity-growth.ts";

const MINUTE_MS = 60_000;

/** Rules that can grow so many times after each reduction, and how many minutes pass before each step. */
function started() {
  const clock = new FakeClock();
  const growth = new AffinityGrowth(clock);
  let steps = 0;
  const rules = {
    growAffinity() {
      if (steps === 0) return false;
      steps--;
      return true;
    },
  };
  return {
    reduce(left: number) {
      steps = left;
      growth.reduced();
    },
    minutesToStep(atMost = 1000): number | undefined {
      for (let minutes = 1; minutes <= atMost; minutes++) {
        clock.advance(MINUTE_MS);
        if (growth.loaded(rules)) return minutes;
      }
      return undefined;
    },
  };
}

test("without a reduction there is no growth, and after one it comes in steps until all is back", () => {
  const { reduce, minutesToStep } = started();
  expect(minutesToStep()).toBeUndefined();
  reduce(3);
  reduce(3);
  expect([minutesToStep(), minutesToStep(), minutesToStep(), minutesToStep()]).toEqual([5, 5, 5, undefined]);
});

test("growth that was too early comes later the next time, up to six hours, and at the first pace when all was back", () => {
  const { reduce, minutesToStep } = started();
  reduce(3);
  const pauses = Array.from({ length: 9 }, () => {
    const minutes = minutesToStep();
    reduce(3);
    return minutes;
  });
  expect(pauses).toEqual([5, 10, 20, 40, 80, 160, 320, 360, 360]);
  while (minutesToStep() !== undefined);
  reduce(1);
  expect(minutesToStep()).toBe(5);
});
