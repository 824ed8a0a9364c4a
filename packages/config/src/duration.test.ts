import { expect, test } from "vitest";
import { formatDuration, parseDuration } from "./duration.ts";

test.each([
  ["0", 0, "0s"],
  ["0s", 0, "0s"],
  ["5s", 5000, "5s"],
  ["1m", 60_000, "1m0s"],
  ["2m0s", 120_000, "2m0s"],
  ["1h0m0s", 3_600_000, "1h0m0s"],
  ["1h2m3.5s", 3_723_500, "1h2m3.5s"],
  ["300ms", 300, "300ms"],
  ["1.5h", 5_400_000, "1h30m0s"],
  [".5s", 500, "500ms"],
  ["100us", 0.1, "100µs"],
  ["10µs", 0.01, "10µs"],
  ["7ns", 0.000007, "7ns"],
  ["-1m30s", -90_000, "-1m30s"],
  ["+2s", 2000, "2s"],
  ["26h", 93_600_000, "26h0m0s"],
])("%s is %d ms and is written %s", (text, ms, canonical) => {
  expect(parseDuration(text)).toBeCloseTo(ms, 9);
  expect(formatDuration(ms)).toBe(canonical);
  expect(parseDuration(canonical)).toBeCloseTo(ms, 9);
});

test.each([
  ["1.001s", 1001],
  ["0.3s", 300],
  ["4m0.007s", 240_007],
])("%s is %d ms exactly", (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

test.each(["", "5", "-", "s", "1 s", "1m ", "1d", "1.2.3s", "1s2", "NaNs", "Infinitys", "3000000h", "1e3s", "0x1s"])(
  "%j is no duration",
  (text) => {
    expect(parseDuration(text)).toBeUndefined();
  },
);
