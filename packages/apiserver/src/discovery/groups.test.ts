import type { ResourceDefinition } from "@orchernetes/apimachinery";
import { expect, test } from "vitest";
import { servedGroups } from "./groups.ts";

const own = [
  { group: "", version: "v1" },
  { group: "b", version: "v1beta1" },
  { group: "b", version: "v1" },
  { group: "a", version: "v1" },
] as unknown as readonly ResourceDefinition[];
const remote = [
  { group: "c", version: "v1" },
  { group: "b", version: "v2alpha1" },
];
const names = (ranks: Readonly<Record<string, readonly [number, number]>>) =>
  servedGroups(own, remote, (group, version) => {
    const [of, within] = ranks[`${group}/${version}`] ?? [1, 1];
    return { group: of, version: within };
  }).map(({ name, versions }) => `${name}: ${versions.join(" ")}`);

test.each([
  ["without ranks as they were added, stable versions first", {}, ["b: v1 v1beta1 v2alpha1", "a: v1", "c: v1"]],
  [
    "by the greatest rank of any version",
    { "c/v1": [9, 1], "b/v1": [5, 1], "a/v1": [7, 1] },
    ["c: v1", "a: v1", "b: v1 v1beta1 v2alpha1"],
  ],
  [
    "versions by their own rank",
    { "b/v2alpha1": [1, 30], "b/v1beta1": [1, 20] },
    ["b: v2alpha1 v1beta1 v1", "a: v1", "c: v1"],
  ],
] as const)("%s", (_, ranks, want) => {
  expect(names(ranks as Readonly<Record<string, readonly [number, number]>>)).toEqual(want);
});
