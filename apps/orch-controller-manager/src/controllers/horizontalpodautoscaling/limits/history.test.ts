import { expect, test } from "vitest";
import { changeWithin, emptyHistory, remember, rememberScale } from "./history.ts";

const at = (seconds: number): Date => new Date(seconds * 1000);

test("changes count by their size and apart by their direction, and no change is none", () => {
  let history = rememberScale(emptyHistory, 2, 5, at(0));
  history = rememberScale(history, 5, 4, at(10));
  history = rememberScale(history, 4, 4, at(20));
  history = rememberScale(history, 4, 10, at(30));
  expect(changeWithin(history.ups, 60, at(30))).toBe(9);
  expect(changeWithin(history.downs, 60, at(30))).toBe(1);
  expect(emptyHistory).toEqual({ recommendations: [], ups: [], downs: [] });
});

test("a change counts for less than its period, and no longer when it is exactly as old", () => {
  const { ups } = rememberScale(emptyHistory, 1, 3, at(0));
  expect(changeWithin(ups, 60, new Date(59_999))).toBe(2);
  expect(changeWithin(ups, 60, at(60))).toBe(0);
  expect(changeWithin([], 60, at(60))).toBe(0);
});

test("what is older than an hour is forgotten, in the direction that is written", () => {
  const old = rememberScale(rememberScale(emptyHistory, 1, 2, at(0)), 2, 1, at(0));
  expect(rememberScale(old, 1, 5, at(3600)).ups).toHaveLength(2);
  const later = rememberScale(old, 1, 5, new Date(3_600_001));
  expect(later.ups).toEqual([{ change: 4, atMs: 3_600_001 }]);
});

test("recommendations are kept for an hour, or for a longer window", () => {
  const first = remember(emptyHistory, 7, at(0));
  expect(remember(first, 3, at(3600)).recommendations.map(({ replicas }) => replicas)).toEqual([7, 3]);
  expect(remember(first, 3, at(3601)).recommendations.map(({ replicas }) => replicas)).toEqual([3]);
  expect(remember(first, 3, at(3601), 60_000).recommendations.map(({ replicas }) => replicas)).toEqual([3]);
  expect(remember(first, 3, at(3601), 7_200_000).recommendations.map(({ replicas }) => replicas)).toEqual([7, 3]);
  expect(first.recommendations).toHaveLength(1);
});
