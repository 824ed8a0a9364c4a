import { FakeClock } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { FailureBackoff } from "./failure-backoff.ts";

test("delays double up to 15 minutes, and are reset after 30 minutes without a failure", () => {
  const clock = new FakeClock();
  const backoff = new FailureBackoff(clock);
  expect(backoff.leftMs("a")).toBe(0);
  const delays = Array.from({ length: 12 }, () => {
    backoff.next("a");
    return backoff.leftMs("a") / 1000;
  });
  expect(delays).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]);
  clock.advance(30 * 60_000);
  backoff.next("a");
  expect(backoff.leftMs("a")).toBe(900_000);
  clock.advance(30 * 60_000 + 1);
  backoff.next("a");
  expect(backoff.leftMs("a")).toBe(1000);
});

test("expired entries are removed", () => {
  const clock = new FakeClock();
  const backoff = new FailureBackoff(clock);
  for (let i = 0; i < 1000; i++) backoff.next(`node-${i}`);
  clock.advance(20 * 60_000);
  backoff.next("late");
  clock.advance(10 * 60_000 + 1);
  backoff.collect();
  expect(backoff.size).toBe(1);
});
