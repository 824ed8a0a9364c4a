import { expect, test } from "vitest";
import type { Measure } from "../row.ts";
import { formatGoal, formatValue, verdict } from "./format.ts";

const rate: Measure = { id: "r", work: "w", unit: "/s", upstream: { text: "100 /s", best: 100 }, atLeast: 1000 };
const time: Measure = { id: "t", work: "w", unit: "s", upstream: { text: "3.5 s", best: 3.5 }, atMost: 0.8 };
const own: Measure = { id: "o", work: "w", unit: "/s", atLeast: 1000 };
const plain: Measure = { id: "p", work: "w", unit: "req/s" };

test.each([
  [rate, 1000, "goal met"],
  [rate, 999, "ahead of upstream"],
  [rate, 99, "behind upstream"],
  [time, 0.8, "goal met"],
  [time, 3.5, "ahead of upstream"],
  [time, 3.6, "behind upstream"],
  [own, 10, "behind the goal"],
  [plain, 10, ""],
] as const)("%o: %d is %s", (measure, value, want) => {
  expect(verdict(measure, value)).toBe(want);
});

test.each([
  [0.0412, "s", "0.041 s"],
  [6.42, "s", "6.4 s"],
  [14.62, "/s", "14.6 /s"],
  [20_123.4, "/s", "20,123 /s"],
  [88.8, "MB", "89 MB"],
] as const)("%d %s is shown as %s", (value, unit, want) => {
  expect(formatValue(value, unit)).toBe(want);
});

test.each([
  [rate, "≥ 1,000 /s"],
  [time, "≤ 0.8 s"],
  [plain, "—"],
] as const)("the goal of %o", (measure, want) => {
  expect(formatGoal(measure)).toBe(want);
});
