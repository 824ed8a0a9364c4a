import { expect, test } from "vitest";
import type { Measure, Result } from "../row.ts";
import { addToHistory, readHistory, renderDocument } from "./document.ts";

const measures: readonly Measure[] = [
  { id: "start", work: "start", unit: "s", upstream: { text: "3.5 s", best: 3.5 }, atMost: 0.8 },
  { id: "get", work: "get", unit: "/s", atLeast: 20_000 },
];
const [start, get] = measures as [Measure, Measure];
const monday = { date: "2024-01-01", machine: "2 cores (x), 8 GB" };
const tuesday = { ...monday, date: "2024-01-02" };
const result = (measure: Measure, value: number | undefined, note = ""): Result => ({ measure, value, note });

test("the history survives being written and read", () => {
  const history = addToHistory([], [result(start, 0.61, "cold"), result(get, 21_000.5)], monday);
  expect(readHistory(renderDocument(measures, history))).toEqual(history);
});

test("the same day replaces, another day adds, what failed leaves the old figure", () => {
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
  const document = renderDocument(measures, history);
  expect(document).toContain("| start | 3.5 s | ≤ 0.8 s | 0.700 s | goal met |  | 2024-01-02 |");
  expect(document).toContain("| get | — | ≥ 20,000 /s | — |  | not measured yet |  |");
});
