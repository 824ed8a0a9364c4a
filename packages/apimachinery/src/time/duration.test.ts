import { expect, test } from "vitest";
import { canonicalDuration, formatDuration, parseDuration } from "./duration.ts";

// The messages of time.ParseDuration in Go.
test.each([
  ["", 'time: invalid duration ""'],
  ["-", 'time: invalid duration "-"'],
  ["s", 'time: invalid duration "s"'],
  [".s", 'time: invalid duration ".s"'],
  ["1h 5m", 'time: unknown unit "h " in duration "1h 5m"'],
  ["--1s", 'time: invalid duration "--1s"'],
  ["90", 'time: missing unit in duration "90"'],
  ["1h30", 'time: missing unit in duration "1h30"'],
  ["1..5s", 'time: missing unit in duration "1..5s"'],
  ["1d", 'time: unknown unit "d" in duration "1d"'],
  ["1m2w", 'time: unknown unit "w" in duration "1m2w"'],
  ["1S", 'time: unknown unit "S" in duration "1S"'],
  ["1hs", 'time: unknown unit "hs" in duration "1hs"'],
  ["9223372036854775808ns", 'time: invalid duration "9223372036854775808ns"'],
])("the error of duration %j says what is wrong", (text, message) => {
  expect(() => parseDuration(text)).toThrow(message);
});

test("a long text is shown only in part", () => {
  expect(() => parseDuration("x".repeat(100_000))).toThrow(/^time: invalid duration "x{64}"$/);
});

test.each([
  ["1µs", "1µs"],
  ["1μs", "1µs"],
  ["999ns", "999ns"],
  ["999.999999ms", "999.999999ms"],
  ["-0s", "0s"],
  ["+1m", "1m0s"],
  ["1.s", "1s"],
  ["1m1h", "1h1m0s"],
  ["0.1ns", "0s"],
])("the canonical form of %s is %s", (text, canonical) => {
  expect(canonicalDuration(text)).toBe(canonical);
});

test("every formatted duration is read back as the same number", () => {
  for (let ms = 1e-6; ms < 1e9; ms *= 3.7) {
    const rounded = Math.round(ms * 1e6) / 1e6;
    expect(parseDuration(formatDuration(rounded))).toBe(rounded);
    expect(parseDuration(formatDuration(-rounded))).toBe(-rounded);
  }
});
