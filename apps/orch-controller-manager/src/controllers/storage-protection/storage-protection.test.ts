import type { core } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import { type ClaimSketch, claim } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { pod } from "../../testing/builders.ts";
import { podUsesClaim } from "./pod-uses-claim.ts";
import { finalizerChange, withFinalizer } from "./protect.ts";

const finalizer = "x/protection";

test.each<[string, ClaimSketch, boolean, string, readonly string[] | undefined]>([
  // name, object, used, change, finalizers then
  ["new, bears it", { finalizers: [finalizer] }, false, "keep", undefined],
  ["lacks it", { finalizers: ["y"] }, false, "add", ["y", finalizer]],
  ["goes, in use", { deleting: true, finalizers: [finalizer] }, true, "keep", undefined],
  ["goes, of no use", { deleting: true, finalizers: ["y", finalizer, "z"] }, false, "remove", ["y", "z"]],
  ["goes without it", { deleting: true, finalizers: ["y"] }, false, "keep", undefined],
])("%s", (_, sketch, used, change, want) => {
  const object = claim("c", sketch);
  const got = finalizerChange(object, finalizer, () => used);
  expect(got).toBe(change);
  if (got !== "keep") expect(withFinalizer(object, finalizer, got).metadata.finalizers).toEqual(want);
});

const uses = (volume: Partial<core.Volume>, sketch: Parameters<typeof pod>[1] = { node: "n" }): Stored<core.Pod> => {
  const made = pod("p", sketch);
  return { ...made, spec: { ...made.spec, volumes: [{ name: "data", ...volume }] } };
};
const byName = (claimName: string) => ({ persistentVolumeClaim: { claimName } });
const ephemeral = { ephemeral: {} };
const owner = { apiVersion: "v1", kind: "Pod", name: "p", uid: "uid-p", controller: true };
const gone = { deletionTimestamp: "2024-01-01T00:00:00Z", deletionGracePeriodSeconds: 0 };

test.each<[string, string, Stored<core.Pod>, boolean]>([
  // name, claim, pod, used
  ["runs", "c", uses(byName("c")), true],
  ["has ended", "c", uses(byName("c"), { node: "n", phase: "Succeeded" }), true],
  ["has no node", "c", uses(byName("c"), {}), false],
  ["uses another", "c", uses(byName("d")), false],
  ["lives elsewhere", "c", uses(byName("c"), { node: "n", namespace: "other" }), false],
  ["has no volumes", "c", pod("p", { node: "n" }), false],
  ["has the claim made for it", "p-data", uses(ephemeral), true],
  [
    "has the claim made for it, and is done with it",
    "p-data",
    { ...uses(ephemeral), metadata: { ...uses(ephemeral).metadata, ...gone } },
    false,
  ],
])("a pod that %s", (_, name, given, want) => {
  const made = claim(name);
  const owned = name === "p-data" ? { ...made, metadata: { ...made.metadata, ownerReferences: [owner] } } : made;
  expect(podUsesClaim(given, owned)).toBe(want);
});

test("an ephemeral volume does not use a claim that only looks like its own", () => {
  expect(podUsesClaim(uses(ephemeral), claim("p-data"))).toBe(false);
});
