import { expect, test } from "vitest";
import {
  gracePeriodsToField,
  headersToField,
  reservedMemoryToField,
  taintsToField,
  thresholdsToField,
  tracingToField,
  vmoduleToField,
} from "./to-field.ts";

test.each([
  ["nothing", [], {}],
  ["one pair", ["a:x"], { a: ["x"] }],
  ["a name twice keeps both values in order", ["a:x,b:y", "a:z"], { a: ["x", "z"], b: ["y"] }],
  ["blanks around names and values do not count", [" a : x y "], { a: ["x y"] }],
  ["only the first colon separates", ["a:http://h:1"], { a: ["http://h:1"] }],
  ["an empty value is a value", ["a:"], { a: [""] }],
  ["commas too many name no header", ["a:x,", ",b:y", ""], { a: ["x"], b: ["y"] }],
])("headers: %s", (_, items, want) => {
  expect(headersToField(items)).toEqual(want);
});

test("a header may have the name of a property of objects", () => {
  const headers = headersToField(["__proto__:x", "constructor:y"]);
  expect(Object.entries(headers)).toEqual([
    ["__proto__", ["x"]],
    ["constructor", ["y"]],
  ]);
});

test.each([
  ["a=b:NoSchedule", { key: "a", value: "b", effect: "NoSchedule" }],
  ["a:NoExecute", { key: "a", effect: "NoExecute" }],
  ["a=:NoSchedule", { key: "a", value: "", effect: "NoSchedule" }],
  ["example.com/a=b=c:NoSchedule", { key: "example.com/a", value: "b=c", effect: "NoSchedule" }],
])("the taint %s", (item, want) => {
  expect(taintsToField([item])).toEqual([want]);
});

test("eviction thresholds are split at the first operator, and percentages are unchanged", () => {
  expect(thresholdsToField(["memory.available<100Mi", "nodefs.available<10%"])).toEqual({
    "memory.available": "100Mi",
    "nodefs.available": "10%",
  });
});

test.each([
  [["0:memory=1Gi"], [{ numaNode: 0, limits: { memory: "1Gi" } }]],
  [
    ["0:memory=1Gi,hugepages-1Gi=2Gi", "1:memory=3Gi"],
    [
      { numaNode: 0, limits: { memory: "1Gi", "hugepages-1Gi": "2Gi" } },
      { numaNode: 1, limits: { memory: "3Gi" } },
    ],
  ],
  [
    ["0:memory=1Gi,12:memory=3Gi"],
    [
      { numaNode: 0, limits: { memory: "1Gi" } },
      { numaNode: 12, limits: { memory: "3Gi" } },
    ],
  ],
])("reserved memory of %j", (items, want) => {
  expect(reservedMemoryToField(items)).toEqual(want);
});

test("priorities, sampling rates and log levels become numbers, as in the configuration", () => {
  expect(
    gracePeriodsToField(
      new Map([
        ["-1", "10"],
        ["2000000000", "0"],
      ]),
    ),
  ).toEqual([
    { priority: -1, shutdownGracePeriodSeconds: 10 },
    { priority: 2_000_000_000, shutdownGracePeriodSeconds: 0 },
  ]);
  expect(
    tracingToField(
      new Map([
        ["endpoint", "4317"],
        ["samplingRatePerMillion", "100"],
      ]),
    ),
  ).toEqual({
    endpoint: "4317",
    samplingRatePerMillion: 100,
  });
  expect(vmoduleToField(["pod*=4", "*=0"])).toEqual([
    { filePattern: "pod*", verbosity: 4 },
    { filePattern: "*", verbosity: 0 },
  ]);
});
