import { expect, test } from "vitest";
import { testPod } from "../testing/pods.ts";
import { graceOf, gracePeriodsOf, groupByPriority, totalSeconds } from "./grace-periods.ts";

const none = { shutdownGracePeriod: 0, shutdownGracePeriodCriticalPods: 0, shutdownGracePeriodByPodPriority: [] };

// shows: shutdownGracePeriod, shutdownGracePeriodCriticalPods, shutdownGracePeriodByPodPriority
test("the shutdown period is divided between all pods and critical pods; periods by priority are sorted", () => {
  expect(gracePeriodsOf(none)).toEqual([]);
  expect(gracePeriodsOf({ ...none, shutdownGracePeriod: 30_000, shutdownGracePeriodCriticalPods: 10_000 })).toEqual([
    { priority: 0, seconds: 20 },
    { priority: 2_000_000_000, seconds: 10 },
  ]);
  const given = [
    { priority: 100, shutdownGracePeriodSeconds: 5 },
    { priority: 0, shutdownGracePeriodSeconds: 60 },
  ];
  const periods = gracePeriodsOf({ ...none, shutdownGracePeriodByPodPriority: given });
  expect(periods.map(({ priority }) => priority)).toEqual([0, 100]);
  expect(totalSeconds(periods)).toBe(65);
});

test.each([
  [-5, 10],
  [10, 10],
  [99, 10],
  [100, 100],
  [5000, 100],
])("a pod of priority %i belongs to the period of priority %i", (priority, want) => {
  const pod = testPod({ priority });
  const groups = groupByPriority(
    [
      { priority: 10, seconds: 1 },
      { priority: 100, seconds: 2 },
    ],
    [pod],
  );
  expect(groups.filter(({ pods }) => pods.length > 0).map((group) => group.priority)).toEqual([want]);
});

test.each([
  [5, 5],
  [30, 20],
])("a pod with a grace period of %i s gets %i s of 20", (terminationGracePeriodSeconds, want) => {
  expect(graceOf(testPod({ terminationGracePeriodSeconds }), { priority: 0, seconds: 20 })).toBe(want);
});
