import { expect, test } from "vitest";
import { cpuTimeOf, cpuTimeUs, threadsTimeUs } from "../cpu-time.ts";
import { comparisonsOf, median, medianInterval, renderComparison } from "./comparison.ts";

test.each([
  [[3], 3],
  [[5, 1, 3], 3],
  [[10, 2, 4, 100], 7],
  [[], Number.NaN],
])("the median of %j", (values, want) => {
  expect(median(values)).toBe(want);
});

test("a row has both medians, the median of the starts' ratios, and an interval", () => {
  const starts = [50, 300, 100].map((ours) => ({ theirs: 100, ours, ratio: ours / 100 }));
  const text = renderComparison([{ name: "GET", starts }]);
  expect(text.split("\n")[2]).toBe("| GET | 100 | 100 | 1.00 | 0.50–3.00 |");
});

const oneTo = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => count - i);

test.each([
  [5, [1, 5]],
  [6, [1, 6]],
  [8, [1, 8]],
  [9, [2, 8]],
  [11, [2, 10]],
  [15, [4, 12]],
  [20, [6, 15]],
])("the interval of the median of 1 to %i is that of the sign test", (count, want) => {
  expect(medianInterval(oneTo(count))).toEqual(want);
});

test("CPU time is user and system time in ticks of 10 ms, also of a program with brackets in its name", () => {
  const stat = "42 (a (b) c) S 1 42 42 0 -1 4194560 900 0 0 0 150 25 0 0 20 0 7 0 100 1000 200";
  expect(cpuTimeOf(stat)).toBe(1_750_000);
  expect(() => cpuTimeOf("nothing")).toThrow('no CPU time in "nothing"');
});

test("the CPU time of a process grows as it computes", () => {
  const before = cpuTimeUs(process.pid);
  const end = process.cpuUsage().user + 50_000;
  while (process.cpuUsage().user < end) Math.sqrt(2);
  expect(cpuTimeUs(process.pid)).toBeGreaterThanOrEqual(before + 30_000);
});

test("each start is one figure of a piece: the medians of its turns, and that of the ratios of turns", () => {
  const start = (n: number) => [
    { name: "GET", theirs: [n, 2 * n, 4 * n], ours: [n, n, 8 * n] },
    { name: "LIST", theirs: [10 * n], ours: [5 * n] },
  ];
  expect(comparisonsOf([start(1), start(2)])).toEqual([
    {
      name: "GET",
      starts: [
        { theirs: 2, ours: 1, ratio: 1 },
        { theirs: 4, ours: 2, ratio: 1 },
      ],
    },
    {
      name: "LIST",
      starts: [
        { theirs: 10, ours: 5, ratio: 0.5 },
        { theirs: 20, ours: 10, ratio: 0.5 },
      ],
    },
  ]);
  expect(comparisonsOf([])).toEqual([]);
});

test("the CPU time of a process's threads grows with what they do, in steps below a tick", () => {
  const before = threadsTimeUs(process.pid);
  const end = process.cpuUsage().user + 3000;
  while (process.cpuUsage().user < end);
  const used = threadsTimeUs(process.pid) - before;
  expect(used).toBeGreaterThanOrEqual(2000);
  expect(used % 10_000).not.toBe(0);
});
