import { expect, test } from "vitest";
import { nextPressure, noPressure, type PressureState, shownPressure } from "./pressure-state.ts";
import type { EvictionSignal, SignalReading } from "./signals.ts";
import type { Threshold } from "./thresholds.ts";

const hardDisk: Threshold = { signal: "nodefs.available", minimum: "100", graceMs: 0, reclaim: "50" };
const softMemory: Threshold = { signal: "memory.available", minimum: "100", graceMs: 60_000, reclaim: undefined };
const thresholds = [hardDisk, softMemory];

/** Looks at the node at several times, with what is available of disk and memory. */
function look(...looks: readonly (readonly [atMs: number, disk: number, memory: number])[]): PressureState {
  let state = noPressure;
  for (const [atMs, disk, memory] of looks) {
    const readings = new Map<EvictionSignal, SignalReading>([
      ["nodefs.available", { available: disk, capacity: 1000 }],
      ["memory.available", { available: memory, capacity: 1000 }],
    ]);
    state = nextPressure(state, thresholds, readings, atMs);
  }
  return state;
}
const signals = ({ due }: PressureState) => due.map(({ signal }) => signal);

test("a hard threshold is due at once, a soft one after its grace period", () => {
  expect(signals(look([0, 99, 500]))).toEqual(["nodefs.available"]);
  expect(signals(look([0, 500, 99], [59_999, 500, 99]))).toEqual([]);
  expect(signals(look([0, 500, 99], [60_000, 500, 99]))).toEqual(["memory.available"]);
});

test("the grace period begins again if the signal has recovered meanwhile", () => {
  expect(signals(look([0, 500, 99], [30_000, 500, 100], [60_000, 500, 99], [90_000, 500, 99]))).toEqual([]);
});

// shows: evictionMinimumReclaim
test("after evictions, a threshold is met until the minimum reclaim is also available", () => {
  expect(signals(look([0, 99, 500], [10_000, 149, 500]))).toEqual(["nodefs.available"]);
  expect(signals(look([0, 99, 500], [10_000, 150, 500]))).toEqual([]);
  expect(signals(look([0, 149, 500]))).toEqual([]);
});

test("memory is reclaimed before other resources", () => {
  expect(signals(look([0, 99, 99], [60_000, 99, 99]))).toEqual(["memory.available", "nodefs.available"]);
});

// shows: evictionPressureTransitionPeriod
test("pressure is reported as soon as a threshold is met, even during its grace period, and for the transition period afterwards", () => {
  const shown = (state: PressureState, nowMs: number) => shownPressure(state, 300_000, nowMs);
  expect(shown(look([0, 500, 99]), 0)).toEqual({ memory: true, disk: false, pids: false });
  const over = look([0, 99, 500], [10_000, 500, 500]);
  expect(shown(over, 10_000)).toEqual({ memory: false, disk: true, pids: false });
  expect(shown(over, 299_999)).toMatchObject({ disk: true });
  expect(shown(over, 300_000)).toMatchObject({ disk: false });
  expect(shownPressure(look([0, 99, 500]), 0, 0)).toMatchObject({ disk: true });
});
