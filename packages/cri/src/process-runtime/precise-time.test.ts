import { FakeClock } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { preciseTime } from "./precise-time.ts";

test("time advances in fractions of a millisecond, and follows a wall clock that is set", () => {
  const clock = new FakeClock("2023-06-01T00:00:00Z");
  const startMs = clock.nowMs();
  const wholeMs = { nowMs: () => Math.floor(clock.nowMs()), monotonicMs: () => clock.monotonicMs() };
  const now = preciseTime(wholeMs);
  const after = (ms: number): number => {
    clock.advance(ms);
    return now() - startMs;
  };
  expect([after(0), after(0.25), after(0.5), after(10)]).toEqual([0, 0.25, 0.75, 10.75]);
  clock.setNow("2023-06-02T00:00:00Z");
  const dayMs = 24 * 3600_000;
  expect([after(0), after(0.5)]).toEqual([dayMs, dayMs + 0.5]);
});
