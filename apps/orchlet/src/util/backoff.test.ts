import { expect, test } from "vitest";
import { Backoff, type BackoffEntry, backoffRemainingMs, nextBackoff } from "./backoff.ts";

test("setting the clock back does not extend the delay", () => {
  const backoff = new Backoff(10_000, 300_000);
  const hour = 3_600_000;
  backoff.next("pod/c", 5 * hour);
  expect(backoff.remaining("pod/c", 5 * hour, 5 * hour + 4000)).toBe(6000);
  expect(backoff.remaining("pod/c", 5 * hour, hour)).toBe(10_000);
});

/** The delay before each restart of a container that runs for these times, in seconds. */
function delaysOf(runs: readonly number[]): readonly number[] {
  const policy = { initialMs: 10_000, maxMs: 300_000 };
  let entry: BackoffEntry | undefined;
  let nowMs = 1_700_000_000_000;
  return runs.map((seconds) => {
    const failedMs = nowMs + seconds * 1000;
    const waitMs = backoffRemainingMs(entry, failedMs, failedMs, policy);
    nowMs = failedMs + waitMs;
    entry = nextBackoff(entry, failedMs, nowMs, policy);
    return waitMs / 1000;
  });
}

test("delays double up to the maximum, and only a long run resets them, not a long wait", () => {
  expect(delaysOf([1, 1, 1, 1, 1, 1, 1, 360, 360, 599, 601, 1])).toEqual([
    ...[0, 10, 20, 40, 80, 160, 300, 300, 300, 300],
    ...[0, 10],
  ]);
});
