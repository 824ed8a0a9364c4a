import type { autoscalingV2 } from "@orchernetes/api";
import { expect, test } from "vitest";
import { changeWithin, emptyHistory, remember, rememberScale, type ScalingHistory } from "./history.ts";
import { type NormalizeInput, normalize } from "./normalize.ts";

type Policy = autoscalingV2.HPAScalingPolicy;
type Rules = autoscalingV2.HPAScalingRules;

const now = new Date("2024-01-01T01:00:00Z");
const ago = (seconds: number): number => now.getTime() - seconds * 1000;
const pods = (value: number, periodSeconds = 60): Policy => ({ type: "Pods", value, periodSeconds });
const percent = (value: number, periodSeconds = 60): Policy => ({ type: "Percent", value, periodSeconds });
const wanted = (...list: readonly (readonly [replicas: number, seconds: number])[]): ScalingHistory => ({
  ...emptyHistory,
  recommendations: list.map(([replicas, seconds]) => ({ replicas, atMs: ago(seconds) })),
});
const up = (rules: Rules) => ({ behavior: { scaleUp: rules } });
const down = (rules: Rules) => ({ behavior: { scaleDown: { stabilizationWindowSeconds: 0, ...rules } } });

test.each<[string, Partial<NormalizeInput>, number, string, string]>([
  // name, input, want replicas, AbleToScale reason, ScalingLimited reason
  ["as wanted", { wanted: 7 }, 7, "ReadyForNewScale", "DesiredWithinRange"],
  ["too many", { wanted: 25, max: 8 }, 8, "ReadyForNewScale", "TooManyReplicas"],
  ["too fast", { wanted: 25 }, 10, "ReadyForNewScale", "ScaleUpLimit"],
  ["a few are never too fast", { current: 1, wanted: 9 }, 4, "ReadyForNewScale", "ScaleUpLimit"],
  ["too few", { wanted: 1, min: 3 }, 3, "ReadyForNewScale", "TooFewReplicas"],
  [
    "more was wanted lately",
    { wanted: 2, history: wanted([4, 100], [9, 301]) },
    4,
    "ScaleDownStabilized",
    "DesiredWithinRange",
  ],
  ["less was wanted lately", { wanted: 7, history: wanted([2, 10]) }, 7, "ReadyForNewScale", "DesiredWithinRange"],
  [
    "up: less was wanted lately",
    { wanted: 9, history: wanted([6, 10], [1, 61]), ...up({ stabilizationWindowSeconds: 60 }) },
    6,
    "ScaleUpStabilized",
    "DesiredWithinRange",
  ],
  [
    "down: the flag's window where the behavior has none",
    { wanted: 2, history: wanted([5, 299]), behavior: {} },
    5,
    "ScaleDownStabilized",
    "DesiredWithinRange",
  ],
  [
    "down: the behavior's own window",
    { wanted: 2, history: wanted([5, 31]), ...down({ stabilizationWindowSeconds: 30 }) },
    2,
    "ReadyForNewScale",
    "DesiredWithinRange",
  ],
  ["up by pods", { wanted: 20, ...up({ policies: [pods(3)] }) }, 8, "ReadyForNewScale", "ScaleUpLimit"],
  [
    "up by share, rounded up",
    { wanted: 20, ...up({ policies: [percent(50)] }) },
    8,
    "ReadyForNewScale",
    "ScaleUpLimit",
  ],
  [
    "up by the freer policy",
    { wanted: 20, ...up({ policies: [pods(1), percent(100)] }) },
    10,
    "ReadyForNewScale",
    "ScaleUpLimit",
  ],
  [
    "up by the tighter policy",
    { wanted: 20, ...up({ selectPolicy: "Min", policies: [pods(1), percent(100)] }) },
    6,
    "ReadyForNewScale",
    "ScaleUpLimit",
  ],
  [
    "never up",
    { wanted: 20, ...up({ selectPolicy: "Disabled", policies: [pods(1)] }) },
    5,
    "ReadyForNewScale",
    "ScaleUpLimit",
  ],
  [
    "down by pods",
    { current: 10, wanted: 1, ...down({ policies: [pods(3)] }) },
    7,
    "ReadyForNewScale",
    "ScaleDownLimit",
  ],
  [
    "down by share",
    { current: 10, wanted: 1, ...down({ policies: [percent(25)] }) },
    7,
    "ReadyForNewScale",
    "ScaleDownLimit",
  ],
  [
    "down by the freer policy",
    { current: 10, wanted: 1, ...down({ policies: [pods(3), percent(50)] }) },
    5,
    "ReadyForNewScale",
    "ScaleDownLimit",
  ],
  [
    "down by the tighter policy",
    { current: 10, wanted: 1, ...down({ selectPolicy: "Min", policies: [pods(3), percent(50)] }) },
    7,
    "ReadyForNewScale",
    "ScaleDownLimit",
  ],
  [
    "down to the least",
    { current: 10, wanted: 1, min: 2, ...down({ policies: [percent(100)] }) },
    2,
    "ReadyForNewScale",
    "TooFewReplicas",
  ],
  [
    "past changes count against the policy",
    { wanted: 20, ...up({ policies: [pods(4)] }), history: rememberScale(emptyHistory, 2, 5, now) },
    6,
    "ReadyForNewScale",
    "ScaleUpLimit",
  ],
  [
    "past changes never turn a scale-up into a scale-down",
    { wanted: 20, ...up({ policies: [pods(1)] }), history: rememberScale(emptyHistory, 1, 5, now) },
    5,
    "ReadyForNewScale",
    "ScaleUpLimit",
  ],
])("%s", (_, input, replicas, stabilized, limited) => {
  const whole = { current: 5, wanted: 5, min: 1, max: 100, behavior: undefined, history: emptyHistory };
  const got = normalize({ ...whole, downscaleStabilizationMs: 300_000, ...input }, now);
  expect([got.replicas, got.stabilized.reason, got.limited.reason]).toEqual([replicas, stabilized, limited]);
  expect(got.limited.status).toBe(limited === "DesiredWithinRange" ? "False" : "True");
});

test("entries that are too old to apply are dropped", () => {
  const old = { ...wanted([3, 3_601], [4, 3_599]), ups: [{ change: 1, atMs: ago(3_601) }] };
  expect(remember(old, 5, now).recommendations.map(({ replicas }) => replicas)).toEqual([4, 5]);
  expect(remember(old, 5, now, 7_200_000).recommendations).toHaveLength(3);
  const history = rememberScale(old, 7, 5, now);
  expect(rememberScale(history, 5, 9, now).ups).toEqual([{ change: 4, atMs: now.getTime() }]);
  expect(changeWithin(history.downs, 1, new Date(now.getTime() + 999))).toBe(2);
  expect(changeWithin(history.downs, 1, new Date(now.getTime() + 1000))).toBe(0);
});
