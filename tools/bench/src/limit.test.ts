import { describe, expect, test } from "vitest";
import { limitOf, scaledValue, withLimit } from "./limit.ts";
import { cells } from "./report/table.ts";
import type { Measure, Result } from "./row.ts";

const rate: Measure = { id: "r", work: "w", unit: "/s", atLeast: 1000, upstream: { text: "100 /s", best: 100 } };
const time: Measure = { id: "t", work: "w", unit: "ms", atMost: 80 };
const memory: Measure = { id: "m", work: "w", unit: "MB", atMost: 350 };
const bare: Measure = { id: "bare", work: "w", unit: "req/s" };

test.each([
  [40_000, 44_000, 42_000],
  [40_000, undefined, 40_000],
  [undefined, 44_000, 44_000],
  [undefined, undefined, undefined],
])("the limit of a run that began with %s and ended with %s is %s", (before, after, want) => {
  expect(limitOf(before, after)?.mean).toBe(want);
});

test.each([
  [rate, 900, 21_000, 1800],
  [rate, 900, 84_000, 450],
  [{ ...rate, unit: "events/s" as const }, 900, 21_000, 1800],
  [time, 100, 21_000, 50],
  [{ ...time, unit: "s" as const }, 1, 84_000, 2],
  [memory, 300, 21_000, undefined],
  [bare, 21_000, 21_000, undefined],
  [rate, 900, undefined, undefined],
])("%o: %d at a limit of %s is %s at the reference's", (measure, value, limit, want) => {
  expect(scaledValue(measure, value, limit)).toBe(want);
});

describe("a row of the table", () => {
  test.each([
    [
      "only the scaled one meets the goal",
      rate,
      900,
      ["900 /s", "1,800 /s", "ahead of upstream", "n; only the scaled figure meets the goal"],
      21_000,
    ],
    [
      "only the measured one does",
      rate,
      1100,
      ["1,100 /s", "550 /s", "goal met", "n; the scaled figure misses the goal"],
      84_000,
    ],
    ["both do", time, 70, ["70.0 ms", "35.0 ms", "goal met", "n"], 21_000],
    ["neither does", time, 200, ["200 ms", "100 ms", "behind the goal", "n"], 21_000],
    ["memory is not scaled", memory, 351, ["351 MB", "—", "behind the goal", "n"], 21_000],
    ["the limit is not known", rate, 900, ["900 /s", "—", "ahead of upstream", "n"], undefined],
  ] as const)("%s", (_, measure, value, want, limit) => {
    const result: Result = { measure, value, note: "n", ...(limit === undefined ? {} : { limit }) };
    expect(cells(result).slice(3)).toEqual(want);
  });
});

test("every result of a run has its limit, and the row of the limit shows both measurements", () => {
  const results = [
    { measure: rate, value: 900, note: "" },
    { measure: bare, value: 44_000, note: "load by wrk" },
  ];
  expect(withLimit(results, limitOf(40_000, 44_000))).toEqual([
    { measure: rate, value: 900, note: "", limit: 42_000 },
    {
      measure: bare,
      value: 42_000,
      note: "load by wrk; 40,000 req/s at the beginning of the run, 44,000 at its end",
      limit: 42_000,
    },
  ]);
  expect(withLimit(results, undefined)).toEqual(results);
});
