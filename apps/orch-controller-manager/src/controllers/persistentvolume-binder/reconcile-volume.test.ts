import { type ClaimSketch, claim, type VolumeSketch, volume } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { isReleased, reconcileVolume } from "./reconcile-volume.ts";
import { linesOf } from "./testing.ts";

const ours = { "pv.orchernetes.io/bound-by-controller": "yes" };
const made = { "pv.orchernetes.io/provisioned-by": "example.com/maker" };
const byController = { claim: "c", phase: "Bound", annotations: ours } as const;

test.each<[string, VolumeSketch, ClaimSketch | undefined, readonly string[]]>([
  // name, volume, its claim, actions
  ["nobody's", { phase: "Pending" }, undefined, ["volume v is Available"]],
  ["nobody's, as it was", {}, undefined, []],
  ["reserved by name", { phase: "Pending", claim: "c", uid: "" }, undefined, ["volume v is Available"]],
  ["bound", { phase: "Available", claim: "c" }, { volumeName: "v" }, ["volume v is Bound"]],
  ["bound, as it was", { phase: "Bound", claim: "c" }, { volumeName: "v" }, []],
  ["its claim does not know of it yet", byController, {}, ["claim next"]],
  [
    "its claim wants another mode",
    { ...byController, volumeMode: "Block" },
    {},
    [
      'Warning VolumeMismatch: Cannot bind PersistentVolume to requested PersistentVolumeClaim "c" due to incompatible volumeMode.',
      'Warning VolumeMismatch: Cannot bind PersistentVolume "v" to requested PersistentVolumeClaim due to incompatible volumeMode.',
    ],
  ],
  ["its claim is gone", byController, undefined, ["volume v is Released"]],
  [
    "its claim is gone: delete",
    { ...byController, policy: "Delete" },
    undefined,
    ["volume v is Released", "reclaim v"],
  ],
  [
    "its claim is gone: recycle",
    { ...byController, policy: "Recycle" },
    undefined,
    ["volume v is Released", "reclaim v"],
  ],
  ["deleting failed, try again", { ...byController, phase: "Failed", policy: "Delete" }, undefined, ["reclaim v"]],
  ["its claim found another", byController, { volumeName: "w" }, ["volume v claim=-:-", "volume v is Available"]],
  [
    "its claim found another; it was reserved by name",
    { claim: "c", phase: "Bound" },
    { volumeName: "w" },
    ["volume v claim=c:-", "volume v is Available"],
  ],
  [
    "its claim found another; it was made for it",
    { ...byController, policy: "Delete", annotations: { ...ours, ...made } },
    { volumeName: "w" },
    ["volume v is Released", "reclaim v"],
  ],
])("%s", (_, sketch, its, want) => {
  const state = {
    volume: volume("v", sketch),
    claim: its === undefined ? undefined : claim("c", its),
    protects: false,
  };
  expect(linesOf(reconcileVolume(state).actions)).toEqual(want);
});

const by = (provisioner: string) => ({ "pv.orchernetes.io/provisioned-by": provisioner });
const guarded = ["orchernetes.io/pv-controller"];
const localPath = { annotations: by("orchernetes.io/local-path"), policy: "Delete" } as const;

test.each<[string, VolumeSketch, boolean, object | undefined]>([
  ["made here is protected", localPath, true, { finalizers: guarded }],
  ["made here is protected once", { ...localPath, finalizers: guarded }, true, undefined],
  [
    "to be retained is not protected",
    { ...localPath, policy: "Retain", finalizers: guarded },
    true,
    { finalizers: [] },
  ],
  ["is not protected without the gate", { ...localPath, finalizers: ["x", ...guarded] }, false, { finalizers: ["x"] }],
  ["of a driver is not protected here", { policy: "Delete", annotations: by("d.example.com") }, true, undefined],
  ["that is being deleted is left", { ...localPath, deleting: true }, true, undefined],
  [
    "of a migrated plugin names its driver",
    { annotations: by("orchernetes.io/gce-pd"), policy: "Delete" },
    true,
    { annotations: { ...by("orchernetes.io/gce-pd"), "pv.orchernetes.io/migrated-to": "pd.csi.storage.gke.io" } },
  ],
  [
    "of a plugin that is not migrated names no driver",
    { annotations: { ...by("orchernetes.io/host-path"), "pv.orchernetes.io/migrated-to": "x" } },
    false,
    { annotations: by("orchernetes.io/host-path") },
  ],
])("a volume %s", (_, sketch, protects, want) => {
  const [first] = reconcileVolume({ volume: volume("v", sketch), claim: undefined, protects }).actions;
  if (want === undefined) expect(first?.type).not.toBe("UpdateVolume");
  else expect(first).toMatchObject({ type: "UpdateVolume", volume: { metadata: want } });
});

test.each<[string, VolumeSketch, ClaimSketch | undefined, boolean]>([
  ["never bound", {}, undefined, false],
  ["reserved by name", { claim: "c", uid: "" }, undefined, false],
  ["its claim is gone", { claim: "c" }, undefined, true],
  ["its claim was created again", { claim: "c", uid: "old" }, {}, true],
  ["its claim is there", { claim: "c" }, {}, false],
  ["its claim has it", { claim: "c" }, { volumeName: "v" }, false],
  ["its claim has another", { claim: "c" }, { volumeName: "w" }, true],
])("%s: may be reclaimed", (_, sketch, its, want) => {
  expect(isReleased(volume("v", sketch), its === undefined ? undefined : claim("c", its))).toBe(want);
});
