import { type ClaimSketch, claim, type VolumeSketch, volume } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { findVolume, mismatch } from "./find-volume.ts";

const modes = ["ReadWriteOnce", "ReadWriteMany"] as const;
const betaClass = { "volume.beta.orchernetes.io/storage-class": "fast" };

test.each<[string, Readonly<Record<string, VolumeSketch>>, ClaimSketch, string | undefined]>([
  // name, volumes, claim, volume found
  ["no volume", {}, {}, undefined],
  ["big enough", { a: { size: "999Mi" }, b: { size: "1024Mi" } }, {}, "b"],
  ["the smallest", { a: { size: "3Gi" }, b: { size: "2Gi" }, c: { size: "5Gi" } }, {}, "b"],
  ["the first by name", { b: {}, a: {} }, {}, "a"],
  ["the one with fewer access modes", { a: { modes, size: "1Gi" }, b: { size: "9Gi" } }, {}, "b"],
  ["all access modes", { a: {}, b: { modes, size: "9Gi" } }, { modes }, "b"],
  ["of the class", { a: { className: "slow" }, b: { className: "fast" } }, {}, "b"],
  ["of no class", { a: {}, b: { className: "" } }, { className: "" }, "b"],
  ["no class named is no class", { a: {}, b: { className: "" } }, { className: undefined }, "b"],
  ["the old annotation names the class", { a: {} }, { className: "slow", annotations: betaClass }, "a"],
  ["selected", { a: {}, b: { labels: { tier: "gold" } } }, { selector: { tier: "gold" } }, "b"],
  ["of the volume mode", { a: {}, b: { volumeMode: "Block", size: "2Gi" } }, { volumeMode: "Block" }, "b"],
  ["available ones only", { a: { phase: "Pending" }, b: { phase: "Released" }, c: { phase: "Failed" } }, {}, undefined],
  ["not on its way out", { a: { deleting: true } }, {}, undefined],
  ["not another's", { a: { claim: "other" } }, {}, undefined],
  ["reserved for it by name", { a: {}, b: { claim: "c", uid: "", size: "9Gi", className: "slow" } }, {}, "b"],
  ["bound to it already", { a: {}, b: { claim: "c", phase: "Bound" } }, {}, "b"],
  ["reserved for a namesake that is gone", { a: { claim: "c", uid: "old" } }, {}, undefined],
  ["reserved, but too small", { a: { claim: "c", uid: "", size: "1Mi" } }, {}, undefined],
])("%s", (_, volumes, sketch, want) => {
  const all = Object.entries(volumes).map(([name, one]) => volume(name, one));
  expect(findVolume(claim("c", sketch), all, false)?.metadata.name).toBe(want);
});

test.each<[string, VolumeSketch, string | undefined]>([
  ["a free volume", {}, undefined],
  ["a reserved one", { claim: "c", uid: "" }, "v"],
])("of a class that waits for the first consumer, %s is left or taken", (_, sketch, want) => {
  expect(findVolume(claim("c"), [volume("v", sketch)], true)?.metadata.name).toBe(want);
});

test.each<[VolumeSketch, string | undefined]>([
  [{}, undefined],
  [{ size: "1Mi" }, "requested PV is too small"],
  [{ className: "slow" }, "storageClassName does not match"],
  [{ volumeMode: "Block" }, "incompatible volumeMode"],
  [{ modes: ["ReadOnlyMany"] }, "incompatible accessMode"],
])("a volume %j that the claim names: %s", (sketch, want) => {
  expect(mismatch(volume("v", sketch), claim("c"))).toBe(want);
});
