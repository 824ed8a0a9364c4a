import { expect, test } from "vitest";
import { Timestamps } from "./timestamps.ts";

test("times in any order have the text of Date, with microseconds", () => {
  const timestamps = new Timestamps();
  const from = Date.parse("2023-12-31T23:59:58.990Z");
  for (const ms of [0, 5, 9, 10, 999, 1000, 1010, 1009, 2500, 0, -990, 86_400_000].map((offset) => from + offset))
    expect(timestamps.of(ms)).toBe(new Date(ms).toISOString().replace("Z", "000Z"));
  // Clocks have fractions of a millisecond, too.
  expect(timestamps.of(from + 0.75)).toBe("2023-12-31T23:59:58.990000Z");
});
