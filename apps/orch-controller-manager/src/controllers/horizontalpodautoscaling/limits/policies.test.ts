import { expect, test } from "vitest";
import { emptyHistory, rememberScale } from "./history.ts";
import { scaleDownLimit, scaleUpLimit } from "./policies.ts";

const now = new Date("2026-01-01T00:10:00Z");
const secondsAgo = (seconds: number) => new Date(now.getTime() - seconds * 1000);
const pods = (value: number, periodSeconds = 60) => ({ type: "Pods", value, periodSeconds }) as const;
const percent = (value: number, periodSeconds = 60) => ({ type: "Percent", value, periodSeconds }) as const;

test.each([
  ["no rules", undefined, Number.MAX_SAFE_INTEGER],
  ["a number of pods", { policies: [pods(4)] }, 14],
  ["a percentage, rounded up", { policies: [percent(15)] }, 12],
  ["the most permissive policy", { policies: [pods(4), percent(100)] }, 20],
  ["the least permissive policy", { selectPolicy: "Min", policies: [pods(4), percent(100)] }, 14],
  ["scaling disabled", { selectPolicy: "Disabled", policies: [pods(4)] }, 10],
] as const)("the limit for scaling 10 replicas up with %s", (_, rules, want) => {
  expect(scaleUpLimit(10, rules, emptyHistory, now)).toBe(want);
});

test.each([
  ["no rules", undefined, 0],
  ["a number of pods", { policies: [pods(4)] }, 6],
  ["a percentage, rounded down", { policies: [percent(15)] }, 8],
  ["the most permissive policy", { policies: [pods(4), percent(100)] }, 0],
  ["the least permissive policy", { selectPolicy: "Min", policies: [pods(4), percent(100)] }, 6],
  ["scaling disabled", { selectPolicy: "Disabled" }, 10],
] as const)("the limit for scaling 10 replicas down with %s", (_, rules, want) => {
  expect(scaleDownLimit(10, rules, emptyHistory, now)).toBe(want);
});

test("changes within the period count from the number at its start", () => {
  const recent = rememberScale(emptyHistory, 7, 10, secondsAgo(30));
  expect(scaleUpLimit(10, { policies: [pods(4, 60)] }, recent, now)).toBe(11);
  expect(scaleUpLimit(10, { policies: [pods(4, 20)] }, recent, now)).toBe(14);
  expect(scaleUpLimit(10, { policies: [pods(1, 60)] }, recent, now)).toBe(8);
});
