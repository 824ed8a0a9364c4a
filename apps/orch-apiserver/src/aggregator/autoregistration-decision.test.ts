import type { apiregistration } from "@orchernetes/api";
import { expect, test } from "vitest";
import {
  type AutoregistrationState,
  automanagedLabel,
  decideAutoregistration,
  localApiService,
} from "./autoregistration-decision.ts";

const target = { group: "a.example.com", version: "v1" };
const always = localApiService(target, "true");
const onStart = localApiService(target, "onstart");
const changed = (of: apiregistration.APIService): apiregistration.APIService => ({
  ...of,
  spec: { ...of.spec, versionPriority: 7 },
});
const unlabelled = { ...changed(always), metadata: { name: "v1.a.example.com" } };
const nothing: AutoregistrationState = { desired: undefined, current: undefined, presentAtStart: false, synced: false };
const present = { presentAtStart: true };
const synced = { synced: true };

test.each<[string, Partial<AutoregistrationState>, object]>([
  ["nothing wanted, nothing there", {}, { type: "none" }],
  ["wanted and not there", { desired: always }, { type: "create", object: always }],
  ["wanted again after it was deleted", { desired: always, ...synced }, { type: "create", object: always }],
  ["wanted at the start, not there", { desired: onStart }, { type: "create", object: onStart }],
  ["wanted at the start, deleted since", { desired: onStart, ...synced }, { type: "none" }],
  ["as it should be", { desired: always, current: always, ...synced }, { type: "none" }],
  ["changed", { desired: always, current: changed(always), ...synced }, { type: "update", spec: always.spec }],
  [
    "changed before the start",
    { desired: onStart, current: changed(onStart), ...present },
    { type: "update", spec: onStart.spec },
  ],
  ["changed since the start", { desired: onStart, current: changed(onStart), ...present, ...synced }, { type: "none" }],
  ["someone else's", { desired: always, current: unlabelled, ...present }, { type: "none" }],
  ["stale", { current: always }, { type: "delete" }],
  ["stale at the start", { current: onStart, ...present }, { type: "delete" }],
  ["stale, but made since the start", { current: onStart }, { type: "none" }],
  ["stale and someone else's", { current: unlabelled, ...present }, { type: "none" }],
])("%s", (_, state, action) => {
  expect(decideAutoregistration({ ...nothing, ...state })).toEqual(action);
});

test.each([
  ["", "v1", 18_000, 1],
  ["apps", "v1", 17_800, 15],
  ["autoscaling", "v2", 17_500, 30],
  ["autoscaling", "v9", 17_500, 1],
  ["made.example.com", "v1", 1000, 100],
  ["constructor", "v1", 1000, 100],
])("%s/%s has the priorities %i and %i", (group, version, groupPriorityMinimum, versionPriority) => {
  const made = localApiService({ group, version }, "onstart");
  expect(made).toMatchObject({
    metadata: { name: `${version}.${group}`, labels: { [automanagedLabel]: "onstart" } },
    spec: { group, version, groupPriorityMinimum, versionPriority },
  });
});
