import { expect, test } from "vitest";
import type { Measure, Result } from "../row.ts";
import { addToHistory, readHistory, renderDocument } from "./document.ts";

const measures: readonly Measure[] = [
  { id: "start", work: "start", unit: "s", upstream: { text: "3.5 s", best: 3.5 }, atMost: 0.8 },
  { id: "get", work: "get", unit: "/s", atLeast: 20_000 },
];
const [start, get] = measures as [Measure, Measure];
const rows = [
  { id: "start", measures: [start] },
  { id: "get", measures: [get] },
];
const monday = { date: "2024-01-01", machine: "2 cores (x), 8 GB" };
const tuesday = { ...monday, date: "2024-01-02" };
const result = (measure: Measure, value: number | undefined, note = ""): Result => ({ measure, value, note });

test("the history is read as it was written", () => {
  const measured = { ...result(get, 21_000.5, "load by wrk; 2 MB"), limit: 40_000.25, stallMs: 35.5 };
  const history = addToHistory([], [result(start, 0.61, "cold"), measured], monday);
  expect(history[1]).toEqual({
    ...monday,
    id: "get",
    value: 21_000.5,
    note: "load by wrk; 2 MB",
    limit: 40_000.25,
    stallMs: 35.5,
  });
  expect(readHistory(renderDocument(rows, history))).toEqual(history);
});

test("a history without limits and stalls is still read", () => {
  const document = `## History

| date | row | figure | remarks | machine |
|---|---|---|---|---|
| 2024-01-01 | start | 0.610 s |  | 2 cores (x), 8 GB | <!-- 0.61 -->
| 2024-01-01 | get | 21,001 /s | load by wrk | 2 cores (x), 8 GB | <!-- 21000.5 -->
`;
  expect(readHistory(document)).toEqual([
    { ...monday, id: "start", value: 0.61, note: "" },
    { ...monday, id: "get", value: 21_000.5, note: "load by wrk" },
  ]);
});

test("figures of the same day are replaced, those of another day added, and a failure keeps the old figure", () => {
  const first = addToHistory([], [result(start, 0.9), result(get, 1000)], monday);
  const second = addToHistory(first, [result(start, 0.7), result(get, undefined, "failed: x")], monday);
  expect(second.map(({ id, value }) => [id, value])).toEqual([
    ["get", 1000],
    ["start", 0.7],
  ]);
  expect(addToHistory(second, [result(start, 0.6)], tuesday)).toHaveLength(3);
});

test("the table shows the latest figure of each row", () => {
  const history = addToHistory(addToHistory([], [result(start, 0.9)], monday), [result(start, 0.7)], tuesday);
  const document = renderDocument(rows, history);
  expect(document).toContain("| start | 3.5 s | ≤ 0.8 s | 0.700 s | — | goal met |  | 2024-01-02 |");
  expect(document).toContain("| get | — | ≥ 20,000 /s | — | — |  | not measured yet |  |");
});

test("a figure stands beside what it would be at the reference limit, and a row beside its longest stall", () => {
  const slow = { ...result(get, 10_000, "load by wrk"), limit: 21_000, stallMs: 48.25 };
  const document = renderDocument(rows, addToHistory([], [slow], monday));
  expect(document).toContain(
    "| get | — | ≥ 20,000 /s | 10,000 /s | 20,000 /s | behind the goal | load by wrk; only the scaled figure meets the goal | 2024-01-01 |",
  );
  expect(document).toContain("| get | get | 48.3 ms | 2024-01-01 |");
  expect(document).not.toContain("| start | start |");
});
