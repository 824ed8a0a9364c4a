import { expect, test } from "vitest";
import { conditionsAfter, type DeletionResult } from "./conditions.ts";

const now = new Date("2024-01-01T00:00:00Z");
const clean: DeletionResult = { discoveryErrors: [], deletionErrors: [], remaining: new Map(), finalizers: new Map() };
const shape = (result: Partial<DeletionResult>) =>
  conditionsAfter(undefined, { ...clean, ...result }, now)
    .filter(({ status }) => status === "True")
    .map(({ type, reason, message }) => `${type} ${reason}: ${message}`);

test.each<[string, Partial<DeletionResult>, readonly string[]]>([
  ["all gone", {}, []],
  [
    "pods left",
    { remaining: new Map([["pods.", 2]]) },
    ["NamespaceContentRemaining SomeResourcesRemain: Some resources are remaining: pods. has 2 resource instances"],
  ],
  [
    "a finalizer holds",
    {
      remaining: new Map([
        ["widgets.example.com", 1],
        ["configmaps.", 3],
      ]),
      finalizers: new Map([["example.com/hold", 4]]),
    },
    [
      "NamespaceContentRemaining SomeResourcesRemain: Some resources are remaining: configmaps. has 3 resource instances, widgets.example.com has 1 resource instances",
      "NamespaceFinalizersRemaining SomeFinalizersRemain: Some content in the namespace has finalizers remaining: example.com/hold in 4 resource instances",
    ],
  ],
  [
    "failures",
    { discoveryErrors: ["x/v1: down"], deletionErrors: ["forbidden"] },
    [
      "NamespaceDeletionDiscoveryFailure DiscoveryFailed: Discovery failed for some groups, 1 failing: x/v1: down",
      "NamespaceDeletionContentFailure ContentDeletionFailed: Failed to delete all resource types, 1 remaining: forbidden",
    ],
  ],
])("%s", (_, result, want) => {
  expect(shape(result)).toEqual(want);
});

test("unchanged conditions keep their times, and if all are unchanged, the list is the same", () => {
  const before = conditionsAfter(undefined, { ...clean, remaining: new Map([["pods.", 2]]) }, now);
  const later = new Date("2024-01-01T01:00:00Z");
  expect(conditionsAfter(before, { ...clean, remaining: new Map([["pods.", 2]]) }, later)).toBe(before);
  const fewer = conditionsAfter(before, { ...clean, remaining: new Map([["pods.", 1]]) }, later);
  const done = conditionsAfter(before, clean, later);
  const time = (conditions: typeof before) =>
    conditions.find(({ type }) => type === "NamespaceContentRemaining")?.lastTransitionTime;
  expect([time(fewer), time(done)]).toEqual(["2024-01-01T00:00:00Z", "2024-01-01T01:00:00Z"]);
});
