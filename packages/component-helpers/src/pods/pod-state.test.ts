import type { core } from "@orchernetes/api";
import { expect, test } from "vitest";
import { isPodActive, isPodAvailable, isPodReady, isPodTerminal, podCondition, readySinceMs } from "./pod-state.ts";

const pod = (status: object, metadata: object = {}) => ({ metadata, spec: { containers: [] }, status }) as core.Pod;
const readyAt = (seconds: number, status = "True") =>
  pod({ conditions: [{ type: "Ready", status, lastTransitionTime: new Date(seconds * 1000).toISOString() }] });

test.each([
  ["Pending", false, true],
  ["Running", false, true],
  ["Succeeded", true, false],
  ["Failed", true, false],
])("a pod in phase %s is terminal: %s, active: %s", (phase, isTerminal, isActive) => {
  expect(isPodTerminal(pod({ phase }))).toBe(isTerminal);
  expect(isPodActive(pod({ phase }))).toBe(isActive);
});

test("a pod that is being deleted is not active", () => {
  expect(isPodActive(pod({ phase: "Running" }, { deletionTimestamp: "2026-01-01T00:00:00Z" }))).toBe(false);
});

test.each([
  ["without conditions", pod({}), undefined],
  ["not ready", readyAt(100, "False"), undefined],
  ["ready", readyAt(100), 100_000],
  ["ready since an unknown time", pod({ conditions: [{ type: "Ready", status: "True" }] }), 0],
])("a pod %s is ready since %s", (_, of, sinceMs) => {
  expect(readySinceMs(of)).toBe(sinceMs);
  expect(isPodReady(of)).toBe(sinceMs !== undefined);
});

test.each([
  ["ready without a minimum", readyAt(100), 0, 100, true],
  ["ready for less than the minimum", readyAt(100), 10, 109, false],
  ["ready for exactly the minimum", readyAt(100), 10, 110, true],
  ["not ready", readyAt(100, "False"), 0, 200, false],
  [
    "ready since an unknown time with a minimum",
    pod({ conditions: [{ type: "Ready", status: "True" }] }),
    1,
    200,
    false,
  ],
])("a pod that is %s is available", (_, of, minReadySeconds, seconds, want) => {
  expect(isPodAvailable(of, minReadySeconds, seconds * 1000)).toBe(want);
});

test("a condition is found by its type", () => {
  expect(podCondition(readyAt(1), "Ready")).toMatchObject({ status: "True" });
  expect(podCondition(readyAt(1), "Initialized")).toBeUndefined();
});
