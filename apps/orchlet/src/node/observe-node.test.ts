import { expect, test } from "vitest";
import { crossedSignals, pressureOf } from "./observe-node.ts";

const memory = { signal: "memory.available", available: 100, capacity: 1000 };
const inodes = { signal: "nodefs.inodesFree", available: 50, capacity: 1000 };

test.each<[string, Readonly<Record<string, string>>, readonly string[]]>([
  ["a signal without a threshold is not crossed", {}, []],
  ["a value above the threshold does not cross it", { "memory.available": "99" }, []],
  ["a value equal to the threshold does not cross it", { "memory.available": "100" }, []],
  ["a value below the threshold crosses it", { "memory.available": "101" }, ["memory.available"]],
  ["percentages are of the capacity", { "memory.available": "11%", "nodefs.inodesFree": "5%" }, ["memory.available"]],
  ["0 % and 100 % disable a threshold", { "memory.available": "100%", "nodefs.inodesFree": "0%" }, []],
])("%s", (_, thresholds, want) => {
  expect(crossedSignals([memory, inodes], thresholds).map(({ signal }) => signal)).toEqual(want);
});

test.each([
  [[], { memory: false, disk: false, pids: false }],
  [["memory.available"], { memory: true, disk: false, pids: false }],
  [["nodefs.inodesFree"], { memory: false, disk: true, pids: false }],
  [["imagefs.available", "pid.available"], { memory: false, disk: true, pids: true }],
])("signals %j cause pressure %j", (signals, want) => {
  expect(pressureOf(signals.map((signal) => ({ signal, available: 0, capacity: 1 })))).toEqual(want);
});
