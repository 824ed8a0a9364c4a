import { expect, test } from "vitest";
import type { EvictionSignal, SignalReading } from "./signals.ts";
import { evictionThresholds, type ThresholdFields, thresholdsMet } from "./thresholds.ts";

const none: ThresholdFields = {
  evictionHard: {},
  evictionSoft: {},
  evictionSoftGracePeriod: {},
  evictionMinimumReclaim: {},
  enforceNodeAllocatable: [],
};
const readings = (values: Partial<Record<EvictionSignal, SignalReading>>) =>
  new Map(Object.entries(values) as [EvictionSignal, SignalReading][]);

// shows: evictionHard, evictionSoft, evictionSoftGracePeriod, evictionMinimumReclaim
test("thresholds have the minimum reclaim of their signal, and soft thresholds also its grace period", () => {
  expect(
    evictionThresholds({
      ...none,
      evictionHard: { "memory.available": "100Mi", "nodefs.available": "10%" },
      evictionSoft: { "memory.available": "200Mi" },
      evictionSoftGracePeriod: { "memory.available": "1m30s", "pid.available": "1s" },
      evictionMinimumReclaim: { "memory.available": "50Mi" },
    }),
  ).toEqual([
    { signal: "memory.available", minimum: "100Mi", graceMs: 0, reclaim: "50Mi" },
    { signal: "nodefs.available", minimum: "10%", graceMs: 0, reclaim: undefined },
    { signal: "memory.available", minimum: "200Mi", graceMs: 90_000, reclaim: "50Mi" },
  ]);
});

test("0% and 100% disable a threshold, and no other spelling does", () => {
  const evictionHard = { "memory.available": "0%", "nodefs.available": "100%", "imagefs.available": "100.0%" };
  expect(evictionThresholds({ ...none, evictionHard }).map(({ signal }) => signal)).toEqual(["imagefs.available"]);
});

test("if all pods together are limited, the memory threshold also applies to them", () => {
  const evictionHard = { "memory.available": "1Gi" };
  const signals = (enforceNodeAllocatable: readonly string[]) =>
    evictionThresholds({ ...none, evictionHard, enforceNodeAllocatable }).map(({ signal }) => signal);
  expect(signals(["pods", "system-reserved"])).toEqual(["memory.available", "allocatableMemory.available"]);
  expect(signals(["none"])).toEqual(["memory.available"]);
});

test.each<[minimum: string, reclaim: string | undefined, withReclaim: boolean, isMet: boolean]>([
  ["99", undefined, false, false],
  ["100", undefined, false, false],
  ["101", undefined, false, true],
  ["11%", undefined, false, true],
  ["10%", undefined, false, false],
  ["90", "20", false, false],
  ["90", "20", true, true],
  ["90", "10", true, false],
  ["9%", "2%", true, true],
  ["1", "100%", true, true],
  ["100.0%", undefined, false, true],
])("100 of 1000 with threshold %s and reclaim %s (with it: %j): met %j", (minimum, reclaim, withReclaim, isMet) => {
  const threshold = { signal: "memory.available", minimum, graceMs: 0, reclaim } as const;
  const now = readings({ "memory.available": { available: 100, capacity: 1000 } });
  expect(thresholdsMet([threshold], now, { withReclaim })).toEqual(isMet ? [threshold] : []);
  expect(thresholdsMet([threshold], new Map(), { withReclaim })).toEqual([]);
});
