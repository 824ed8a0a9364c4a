import { expect, test } from "vitest";
import { canonicalDuration, formatDuration, humanDuration, parseDuration } from "./duration.ts";
import { canonicalMicroTime, canonicalTime, formatMicroTime, formatTime, parseTime, TimeError } from "./time.ts";

test.each([
  ["2020-01-02T03:04:05Z", "2020-01-02T03:04:05Z", "2020-01-02T03:04:05.000000Z"],
  ["2020-01-02T03:04:05.9999999Z", "2020-01-02T03:04:05Z", "2020-01-02T03:04:05.999999Z"],
  ["2020-01-02T03:04:05+01:30", "2020-01-02T01:34:05Z", "2020-01-02T01:34:05.000000Z"],
  ["2020-02-29T00:00:00-08:00", "2020-02-29T08:00:00Z", "2020-02-29T08:00:00.000000Z"],
  ["0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000000Z"],
])("%s", (text, seconds, micros) => {
  expect(canonicalTime(text)).toBe(seconds);
  expect(canonicalMicroTime(text)).toBe(micros);
  expect(formatTime(parseTime(text))).toBe(seconds);
});

test.each([
  "",
  "yesterday",
  "2020-01-02",
  "2020-01-02T03:04:05",
  "2020-13-02T03:04:05Z",
  "2021-02-29T03:04:05Z",
  "2020-01-02T24:04:05Z",
  "2020-01-02 03:04:05Z",
  "0000-01-01T00:00:00+01:00",
  `2020-01-02T03:04:05.${"1".repeat(100000)}Z`,
])("time %# is refused", (text) => {
  expect(() => canonicalTime(text)).toThrow(TimeError);
});

test("dates are written in both precisions", () => {
  const date = new Date("2020-01-02T03:04:05.678Z");
  expect(formatTime(date)).toBe("2020-01-02T03:04:05Z");
  expect(formatMicroTime(date)).toBe("2020-01-02T03:04:05.678000Z");
});

test.each([
  ["0", 0, "0s"],
  ["1h15m30.5s", 4_530_500, "1h15m30.5s"],
  ["60s", 60_000, "1m0s"],
  ["3600s", 3_600_000, "1h0m0s"],
  ["1500us", 1.5, "1.5ms"],
  ["1.5µs", 0.0015, "1.5µs"],
  ["10ns", 0.00001, "10ns"],
  ["-1.5h", -5_400_000, "-1h30m0s"],
  ["300ms", 300, "300ms"],
  [".5s", 500, "500ms"],
])("duration %s", (text, ms, canonical) => {
  expect(parseDuration(text)).toBeCloseTo(ms, 9);
  expect(formatDuration(parseDuration(text))).toBe(canonical);
  expect(canonicalDuration(canonical)).toBe(canonical);
});

test.each([
  ["4489589475.1ms", "1247h6m29.4751s"],
  ["2562047h47m16.854775807s", "2562047h47m16.854775807s"],
  ["-2562047h47m16.854775807s", "-2562047h47m16.854775807s"],
  ["1.9999999999ns", "1ns"],
])("the canonical form of %s is exact", (text, canonical) => {
  expect(canonicalDuration(text)).toBe(canonical);
  expect(canonicalDuration(canonical)).toBe(canonical);
});

test.each(["", "1", "s", "1d", "1h 5m", "1..5s", "-", "9999999999h", "1h".repeat(1000)])(
  "duration %j is refused",
  (text) => {
    expect(() => parseDuration(text)).toThrow(TimeError);
  },
);

const s = 1000;
const m = 60 * s;
const h = 60 * m;
const d = 24 * h;
test.each([
  [-5 * s, "<invalid>"],
  [-1 * s, "0s"],
  [0, "0s"],
  [119 * s, "119s"],
  [2 * m, "2m"],
  [2 * m + 3 * s, "2m3s"],
  [10 * m + 3 * s, "10m"],
  [179 * m, "179m"],
  [3 * h, "3h"],
  [3 * h + 5 * m, "3h5m"],
  [8 * h + 5 * m, "8h"],
  [47 * h, "47h"],
  [2 * d + 4 * h, "2d4h"],
  [8 * d, "8d"],
  [729 * d, "729d"],
  [2 * 365 * d + 40 * d, "2y40d"],
  [3 * 365 * d, "3y"],
  [9 * 365 * d + 40 * d, "9y"],
])("age of %d ms is %s", (ms, want) => {
  expect(humanDuration(ms)).toBe(want);
});
