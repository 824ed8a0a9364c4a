import { expect, test } from "vitest";
import { findCondition, isConditionTrue, withCondition } from "./conditions.ts";

const ready = { type: "Ready", status: "True", lastTransitionTime: "2024-01-01T00:00:00Z", reason: "Up" };
const disk = { type: "DiskPressure", status: "False", reason: "Enough" };
const later = "2024-01-02T00:00:00Z";

test("a condition is found by its type", () => {
  expect(findCondition([disk, ready], "Ready")).toBe(ready);
  expect(findCondition([disk], "Ready")).toBeUndefined();
  expect(findCondition(undefined, "Ready")).toBeUndefined();
});

test.each([
  [[ready], true],
  [[{ ...ready, status: "False" }], false],
  [[{ ...ready, status: "Unknown" }], false],
  [[disk], false],
  [undefined, false],
])("whether %j is ready: %j", (conditions, want) => {
  expect(isConditionTrue(conditions, "Ready")).toBe(want);
});

test.each([
  ["none before", undefined, { ...ready, lastTransitionTime: later }, [{ ...ready, lastTransitionTime: later }]],
  ["another before", [disk], ready, [disk, ready]],
  [
    "the same status",
    [ready, disk],
    { ...ready, reason: "Still", lastTransitionTime: later },
    [{ ...ready, reason: "Still" }, disk],
  ],
  [
    "another status",
    [ready, disk],
    { ...ready, status: "False", lastTransitionTime: later },
    [{ ...ready, status: "False", lastTransitionTime: later }, disk],
  ],
  [
    "the same status without a time",
    [disk],
    { ...disk, lastTransitionTime: later },
    [{ ...disk, lastTransitionTime: later }],
  ],
])("with %s", (_, conditions, next, want) => {
  expect(withCondition(conditions, next)).toEqual(want);
});
