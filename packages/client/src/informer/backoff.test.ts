import { expect, test } from "vitest";
import { createBackoff } from "./backoff.ts";

test("delays double to the maximum, start again after a success, and jitter makes them at most twice as long", () => {
  const delays = (random: number) => {
    const backoff = createBackoff({ initialMs: 100, maxMs: 1000, random: () => random });
    const first = Array.from({ length: 6 }, () => backoff.next());
    backoff.reset();
    return [...first, backoff.next()];
  };
  expect(delays(0)).toEqual([100, 200, 400, 800, 1000, 1000, 100]);
  expect(delays(0.5)).toEqual([150, 300, 600, 1000, 1000, 1000, 150]);
});
