import type { autoscalingV2 } from "@orchernetes/api";
import { expect, test } from "vitest";
import { meta } from "../../testing/builders.ts";
import { emptyHistory } from "./limits/history.ts";
import type { MetricOutcome } from "./metrics/proposal.ts";
import { type AutoscalerState, type Measured, needsMetrics, reconcile, statusAfter } from "./reconcile.ts";
import { selectorOfScale } from "./selector.ts";

const now = new Date("2024-01-01T01:00:00Z");
const then = "2024-01-01T00:00:00Z";

function state(
  replicas: number,
  measured: Measured | readonly MetricOutcome[],
  spec: Partial<autoscalingV2.HorizontalPodAutoscalerSpec> = {},
  status: Partial<autoscalingV2.HorizontalPodAutoscalerStatus> = {},
): AutoscalerState {
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "d" };
  return {
    hpa: {
      metadata: meta("h"),
      spec: { scaleTargetRef, minReplicas: 2, maxReplicas: 8, ...spec },
      status: { desiredReplicas: 0, ...status },
    },
    scale: { metadata: meta("d"), spec: { replicas }, status: { replicas, selector: "app=x" } },
    measured: "type" in measured ? measured : { type: "outcomes", outcomes: measured },
    history: emptyHistory,
    downscaleStabilizationMs: 0,
  };
}

const says = (replicas: number, name = "cpu resource"): MetricOutcome => ({
  type: "proposal",
  replicas,
  name,
  status: { type: "Resource", resource: { name: "cpu", current: { averageValue: "1" } } },
});
const fails: MetricOutcome = { type: "failure", reason: "FailedGetPodsMetric", message: "m", error: "e: m" };
const unneeded: Measured = { type: "unneeded" };

test.each<[string, AutoscalerState, number | undefined, string, readonly string[]]>([
  // name, state, replicas to scale to, reason, conditions
  [
    "metrics call for more",
    state(4, [says(6), says(5)]),
    6,
    "cpu resource above target",
    [
      "AbleToScale=True ReadyForNewScale",
      "ScalingActive=True ValidMetricFound",
      "ScalingLimited=False DesiredWithinRange",
    ],
  ],
  [
    "metrics call for less",
    state(4, [says(3)]),
    3,
    "All metrics below target",
    [
      "AbleToScale=True ReadyForNewScale",
      "ScalingActive=True ValidMetricFound",
      "ScalingLimited=False DesiredWithinRange",
    ],
  ],
  [
    "metrics call for nothing",
    state(4, [says(4)]),
    undefined,
    "",
    [
      "AbleToScale=True ReadyForNewScale",
      "ScalingActive=True ValidMetricFound",
      "ScalingLimited=False DesiredWithinRange",
    ],
  ],
  [
    "above the range",
    state(9, unneeded),
    8,
    "Current number of replicas above Spec.MaxReplicas",
    ["AbleToScale=True SucceededGetScale"],
  ],
  [
    "below the range",
    state(1, unneeded),
    2,
    "Current number of replicas below Spec.MinReplicas",
    ["AbleToScale=True SucceededGetScale"],
  ],
  [
    "off",
    state(0, unneeded),
    undefined,
    "",
    ["AbleToScale=True SucceededGetScale", "ScalingActive=False ScalingDisabled"],
  ],
  [
    "some fail, the others call for more",
    state(4, [fails, says(6)]),
    6,
    "cpu resource above target",
    [
      "AbleToScale=True ReadyForNewScale",
      "ScalingActive=True ValidMetricFound",
      "ScalingLimited=False DesiredWithinRange",
    ],
  ],
  [
    "some fail, the others call for less",
    state(4, [says(3), fails]),
    undefined,
    "",
    ["AbleToScale=True SucceededGetScale", "ScalingActive=False FailedGetPodsMetric"],
  ],
  [
    "all fail",
    state(4, [fails, fails]),
    undefined,
    "",
    ["AbleToScale=True SucceededGetScale", "ScalingActive=False FailedGetPodsMetric"],
  ],
  [
    "no selector",
    state(4, selectorOfScale("") as Measured),
    undefined,
    "",
    ["AbleToScale=True SucceededGetScale", "ScalingActive=False InvalidSelector"],
  ],
])("%s", (_, given, to, reason, conditions) => {
  const decision = reconcile(given, now);
  expect(decision.rescale).toEqual(to === undefined ? undefined : { to, reason });
  expect(decision.conditions.map((c) => `${c.type}=${c.status} ${c.reason}`)).toEqual(conditions);
});

test.each([
  [0, {}, false],
  [0, { minReplicas: 0 }, true],
  [1, {}, false],
  [2, {}, true],
  [8, {}, true],
  [9, {}, false],
])("%d replicas of %j: metrics are read: %s", (replicas, spec, want) => {
  expect(needsMetrics(state(replicas, unneeded, spec).hpa, replicas)).toBe(want);
});

test("failures are reported, and desiredReplicas stay unchanged", () => {
  const given = state(4, [fails, says(3)], {}, { desiredReplicas: 7, lastScaleTime: then });
  const decision = reconcile(given, now);
  const error = "invalid metrics (1 invalid out of 2), first error is: e: m";
  expect(decision.events).toEqual([
    { of: "Warning", reason: "FailedGetPodsMetric", message: "m" },
    { of: "Warning", reason: "FailedComputeMetricsReplicas", message: error },
  ]);
  expect(statusAfter(given, decision, "unneeded", now)).toMatchObject({
    currentReplicas: 4,
    desiredReplicas: 7,
    lastScaleTime: then,
    currentMetrics: [{ type: "" }, { type: "Resource" }],
  });
});

test.each([
  ["done", "done", { desiredReplicas: 6, lastScaleTime: "2024-01-01T01:00:00Z" }, "True", "SucceededRescale"],
  ["failed", { failure: "no" }, { desiredReplicas: 0 }, "False", "FailedUpdateScale"],
] as const)("a rescale that %s", (_, rescaled, want, status, reason) => {
  const given = state(4, [says(6)]);
  const got = statusAfter(given, reconcile(given, now), rescaled, now);
  expect(got).toMatchObject({ currentReplicas: 4, ...want });
  expect(got.conditions?.[0]).toMatchObject({ type: "AbleToScale", status, reason });
  if (rescaled !== "done") expect(got.lastScaleTime).toBeUndefined();
});

test("the transition time of a condition changes only with its status", () => {
  const conditions = [{ type: "ScalingActive", status: "True", reason: "x", lastTransitionTime: then }] as const;
  const held = reconcile(state(4, [says(4)], {}, { conditions }), now).conditions;
  expect(held[0]).toMatchObject({ type: "ScalingActive", reason: "ValidMetricFound", lastTransitionTime: then });
  const turned = reconcile(state(4, [fails], {}, { conditions }), now).conditions;
  expect(turned[0]).toMatchObject({ status: "False", lastTransitionTime: "2024-01-01T01:00:00Z" });
});
