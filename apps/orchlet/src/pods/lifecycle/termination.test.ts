import type { core } from "@orchernetes/api";
import { expect, test } from "vitest";
import { testPod } from "../../testing/pods.ts";
import { deadlineOf, shorterGrace, terminationOf } from "./termination.ts";

const pod = testPod({ terminationGracePeriodSeconds: 20 });
const deleted = testPod(
  { terminationGracePeriodSeconds: 20 },
  { deletionTimestamp: "2026-01-01T00:00:00Z", deletionGracePeriodSeconds: 5 },
);
const failure = { reason: "Evicted", message: "m", graceSeconds: 0 };

const state = (changes: Partial<Parameters<typeof terminationOf>[0]>) => ({
  pod: pod as core.Pod | undefined,
  removed: false,
  failure: undefined,
  status: undefined,
  ...changes,
});

test.each<[string, Partial<Parameters<typeof terminationOf>[0]>, object | undefined]>([
  ["a pod goes on", {}, undefined],
  ["a deleted pod", { pod: deleted }, { reason: "Deleted", graceSeconds: 5 }],
  ["a removed pod", { removed: true }, { reason: "Removed", graceSeconds: 20 }],
  ["an unknown pod", { pod: undefined, removed: true }, { reason: "Removed", graceSeconds: 1 }],
  ["a failed pod with its own grace period", { failure }, { reason: "Failed", graceSeconds: 0 }],
  ["a failed pod without one", { failure: { reason: "r", message: "m" } }, { reason: "Failed", graceSeconds: 20 }],
  ["a completed pod", { status: { phase: "Succeeded" } }, { reason: "Finished", graceSeconds: 20 }],
  ["deletion takes precedence", { pod: deleted, removed: true, failure }, { reason: "Deleted", graceSeconds: 5 }],
])("%s", (_, changes, want) => {
  expect(terminationOf(state(changes))).toEqual(want);
});

test.each([
  [10, undefined, 10],
  [10, 5, 5],
  [5, 10, 5],
])("of the grace periods %s and %s, %s applies", (before, requested, want) => {
  expect(shorterGrace(before, requested)).toBe(want);
});

test("a pod fails when its active deadline has passed", () => {
  const limited = testPod({ activeDeadlineSeconds: 10 });
  expect(deadlineOf(pod, 0, 1_000_000)).toEqual({});
  expect(deadlineOf(limited, 1000, 4000)).toEqual({ inMs: 7000 });
  expect(deadlineOf(limited, 1000, 11_000)).toMatchObject({ failure: { reason: "DeadlineExceeded" } });
});
