import { expect, test } from "vitest";
import { Backoff } from "./backoff.ts";

test("setting the clock back does not extend the delay", () => {
  const backoff = new Backoff(10_000, 300_000);
  const hour = 3_600_000;
  backoff.next("pod/c", 5 * hour);
  expect(backoff.remaining("pod/c", 5 * hour, 5 * hour + 4000)).toBe(6000);
  expect(backoff.remaining("pod/c", 5 * hour, hour)).toBe(10_000);
});
